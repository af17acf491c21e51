import type { Cancellation } from '../../http/cancellation.js';
import type { EventTrust, WebhookEvent } from '../store/webhook-event.js';

/** An event on its way to whoever wants it; an unsigned one has an `id` of its own, and the upstream's in its payload. */
export interface DeliverableEvent extends WebhookEvent {
  readonly trust: EventTrust;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
  /** Whether the upstream sent it again after it had been delivered. */
  readonly isRepeat: boolean;
}

/** What came of an attempt. `dead` says that no further attempt can help. */
export type DeliveryOutcome =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'failed' | 'dead'; readonly reason: string; readonly retryAfterMs?: number };

/** Somewhere events go: the sink, or a handler in the process. */
export interface EventTarget {
  /** Unique and lasting; without spaces. */
  readonly name: string;
  wants(event: Pick<WebhookEvent, 'type' | 'hirerId'>): boolean;
  /**
   * Never rejects.
   * @param stopping fires when the service stops and no longer waits
   */
  deliver(event: DeliverableEvent, stopping: Cancellation): Promise<DeliveryOutcome>;
}
