/** Attempts that the store keeps of an event at each sink, the latest. */
const ATTEMPTS_KEPT = 10;

/** One attempt to deliver an event, as the store keeps it. */
export interface DeliveryAttempt {
  /** When it began, epoch milliseconds. */
  readonly time: number;
  readonly ms: number;
  /** As in the metrics, or `cancelled` by a stop of the service. */
  readonly outcome: 'delivered' | 'failed' | 'dead' | 'cancelled';
  /** Of the answer over HTTP; absent without one. */
  readonly status?: number | undefined;
  /** Why it failed. */
  readonly reason?: string | undefined;
}

/** The history with one more attempt, as the store keeps it. */
export function appendAttempt(history: string | null, attempt: DeliveryAttempt): string {
  return JSON.stringify([...readAttempts(history), attempt].slice(-ATTEMPTS_KEPT));
}

/** The attempts of a history, the earliest first; older versions kept more of each than is read. */
export function readAttempts(history: string | null | undefined): readonly DeliveryAttempt[] {
  const stored = history ? (JSON.parse(history) as DeliveryAttempt[]) : [];
  return stored.map(({ time, ms, outcome, status, reason }) => ({ time, ms, outcome, status, reason }));
}
