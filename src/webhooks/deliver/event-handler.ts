import type { DeliverableEvent } from './event-target.js';

/**
 * The port for code in the process: a handler is called with every event of its types, at least once and in no
 * particular order. It is retried independently of the sink and of other handlers. Providers of the token
 * {@link EVENT_HANDLERS}, an array, are called.
 */
export interface EventHandler {
  /** Unique and lasting: it is stored with an event that has been handled. Without spaces. */
  readonly name: string;
  /** Types of events wanted; all when undefined. */
  readonly types?: readonly string[];
  /**
   * Handles one event. When it rejects, the event comes again later, except for {@link EventRefused}.
   * @param signal aborted after 30 seconds, and when the service stops
   */
  handle(event: DeliverableEvent, signal: AbortSignal): Promise<void>;
}

/** Injection token of the {@link EventHandler}s, an array. */
export const EVENT_HANDLERS = Symbol('EVENT_HANDLERS');

/** Thrown by a handler that will never accept this event. */
export class EventRefused extends Error {
  override readonly name = 'EventRefused';
}
