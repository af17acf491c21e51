import type { EventTarget } from './event-target.js';

/** A queue of events, and where they go. */
export interface DeliveryRoute {
  /** The name of the sink in whose queue they stand. */
  readonly sink: string;
  /** The sink; none for a default one that is not set. */
  readonly targets: readonly EventTarget[];
  /** Most deliveries of one replica at once. */
  readonly concurrency: number;
  /** The retry schedule: pauses after the first failed attempt, the second, and so on. */
  readonly retrySeconds: readonly number[];
  /** True if events go with their objects. */
  readonly objects: boolean;
}

/** Injection token of all {@link DeliveryRoute}s, an array; that of the default sink comes first, even without targets. */
export const DELIVERY_ROUTES = Symbol('DELIVERY_ROUTES');
