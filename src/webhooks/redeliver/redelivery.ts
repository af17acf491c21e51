import type { EventState } from '../store/webhook-event.js';

/** States that an event can be redelivered from by filter: pending events are on their way anyway. */
export const REDELIVERABLE_STATES = ['failed', 'dead', 'delivered', 'stored'] as const;

/** Which events to redeliver; the state must be named, so that nothing is sent twice by mistake. */
export interface RedeliveryFilter {
  readonly state: (typeof REDELIVERABLE_STATES)[number];
  readonly type?: string | undefined;
  readonly hirer?: string | undefined;
  /** The sink that it is to go to, and whose state of the event counts; every sink, each by its own state, without it. */
  readonly sink?: string | undefined;
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
  /** The queued ones by their state now, at each sink; those that a later redelivery queued again count there. */
  readonly events: Readonly<Partial<Record<EventState, number>>>;
}

/** A redelivery that this replica continues. */
export interface HeldRedelivery {
  readonly id: string;
  readonly filter: RedeliveryFilter;
  readonly asNew: boolean;
  readonly cursor: number;
  readonly lastSequence: number;
  /** Fencing token. */
  readonly lease: number;
}
