import type { EventState } from '../store/webhook-event.js';

/** States that an event can be redelivered from by filter: pending events are on their way anyway. */
export const REDELIVERABLE_STATES = ['failed', 'dead', 'delivered', 'stored'] as const;

/** Which events to redeliver; the state must be named, so that nothing is sent twice by mistake. */
export interface RedeliveryFilter {
  readonly state: (typeof REDELIVERABLE_STATES)[number];
  readonly type?: string | undefined;
  readonly hirer?: string | undefined;
  /** Received from then on, epoch milliseconds. */
  readonly since?: number | undefined;
  /** Received before, epoch milliseconds. */
  readonly until?: number | undefined;
}

/** A redelivery of many events, and how far it is. Times are ISO 8601. */
export interface Redelivery {
  readonly id: string;
  /** `running` until every event is queued; what became of them is in `events`. */
  readonly state: 'running' | 'done' | 'cancelled';
  readonly filter: Readonly<Record<string, string>>;
  /** True if every event is delivered under a new `webhook-id`. */
  readonly asNew: boolean;
  readonly actor: string | null;
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** Events that matched when it started. */
  readonly total: number;
  /** Events queued so far. */
  readonly queued: number;
  /** The queued ones by their state now; those that a later redelivery queued again count there. */
  readonly events: Readonly<Partial<Record<EventState, number>>>;
}
