import type { Cancellation } from '../../http/cancellation.js';
import type { WebhookEvent } from '../store/webhook-event.js';
import type { SinkFilter } from '../store/event-sinks.js';
import type { DeliveredObject } from './objects/delivered-object.js';

/** An event being delivered. */
export interface DeliverableEvent extends WebhookEvent {
  /** Epoch milliseconds. */
  readonly receivedAt: number;
  /** The identifier of its deliveries: its `id`, or a new one where an operator had it redelivered as new. */
  readonly webhookId: string;
  /** True if the upstream sent it again after it had been delivered. */
  readonly isRepeat: boolean;
  /** True if an operator had it redelivered. */
  readonly isRedelivery: boolean;
  /** The object that goes with it; undefined for a type that none goes with. */
  readonly object?: DeliveredObject;
}

/** What a target answered over HTTP. */
interface TargetAnswer {
  readonly status?: number | undefined;
  /** How the body begins. */
  readonly answer?: string | undefined;
  /** True if the event is larger than the target takes. */
  readonly isTooLarge?: true;
  /** What went in place of an object that was too large. */
  readonly sentObject?: DeliveredObject;
}

/** The result of an attempt. `dead` is a refusal for good: the target is not asked again for this event. */
export type DeliveryOutcome = TargetAnswer &
  (
    | { readonly kind: 'delivered' }
    | { readonly kind: 'failed' | 'dead'; readonly reason: string; readonly retryAfterMs?: number }
  );

/** A destination of events. */
export interface EventTarget {
  /** Unique and lasting; without spaces. */
  readonly name: string;
  /** The longest that one attempt takes. */
  readonly timeoutMs: number;
  /**
   * Never rejects for what the target does.
   * @param stopping cancels the attempt when the service stops
   */
  deliver(event: DeliverableEvent, stopping: Cancellation): Promise<DeliveryOutcome>;
  /** Closes connections, and cuts what is under way. */
  close(): Promise<void>;
}

/** A sink of the settings: its queue, and where that goes. */
export interface DeliveryRoute extends SinkFilter {
  readonly target: EventTarget;
  /** Most deliveries of one replica at once. */
  readonly concurrency: number;
  /** The retry schedule: pauses after the first failed attempt, the second, and so on. */
  readonly retrySeconds: readonly number[];
  /** True if events go with their objects. */
  readonly objects: boolean;
}

/** Injection token of all {@link DeliveryRoute}s, an array. */
export const DELIVERY_ROUTES = Symbol('DELIVERY_ROUTES');
