/** How events are delivered, where the interface leaves it open. */
export interface DeliverySettings {
  /** Waits before the second, third, … attempt; after the last one the events are dropped. */
  retryDelaysMs: readonly number[];
  timeoutMs: number;
  /** Time until a changed subscription is delivered as configured; up to 30 minutes upstream (interface 13). */
  changeDelayMs: number;
}

/** The settings of a playground that was started without any: six retries over more than an hour. */
export const DEFAULT_DELIVERY: Readonly<DeliverySettings> = {
  retryDelaysMs: [1_000, 5_000, 30_000, 120_000, 600_000, 3_600_000],
  timeoutMs: 10_000,
  changeDelayMs: 5_000,
};

/** Faults to make with the next deliveries. */
export interface DeliveryMischief {
  /** How many requests are sent twice. */
  duplicateNext: number;
  /** Keep events back until set to false. */
  paused: boolean;
}
