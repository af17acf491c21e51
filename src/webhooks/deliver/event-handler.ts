import type { DeliverableEvent } from './event-target.js';

/**
 * The port for code of one's own: it is handed every event of its types, at least once, in no particular order, and
 * apart from the sink: what failed here is tried again here alone. Providers of the token {@link EVENT_HANDLERS}, an
 * array, are called.
 */
export interface EventHandler {
  /** Unique and lasting: it is kept with an event that has been handled. */
  readonly name: string;
  /** Types of events wanted; all when undefined. */
  readonly types?: readonly string[];
  /**
   * Does the work; a rejection brings the event again later, {@link EventRefused} never.
   * @param signal aborted after 30 seconds, and when the service stops
   */
  handle(event: DeliverableEvent, signal: AbortSignal): Promise<void>;
}

/** Injection token of the {@link EventHandler}s, an array. */
export const EVENT_HANDLERS = Symbol('EVENT_HANDLERS');

/** Thrown by a handler that will never take this event. */
export class EventRefused extends Error {
  override readonly name = 'EventRefused';
}
