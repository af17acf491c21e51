import type { EventRecord, EventType } from '../data/records.js';

/** How events are delivered to a subscription. */
export interface Delivery {
  url: string;
  /** From 1 to 10. */
  maxEventsPerAttempt: number;
  signingAlgorithmCode: 'None' | 'SeekHmacSha512';
  secret: string | null;
}

/** A URL that receives one type of event. */
export interface Subscription extends Delivery {
  readonly id: string;
  readonly eventTypeCode: EventType;
  readonly schemeId: string;
  /** Null: every related hirer. */
  readonly hirerId: string | null;
  readonly createdMs: number;
  updatedMs: number;
  /** The configuration that deliveries follow: the one above, except for changes that are not effective yet. */
  readonly acting: Delivery;
}

/** The part of a subscription that its deliveries follow. */
export function deliveryOf({ url, maxEventsPerAttempt, signingAlgorithmCode, secret }: Delivery): Delivery {
  return { url, maxEventsPerAttempt, signingAlgorithmCode, secret };
}

/** How a request ended, in the upstream's words (interface 13). */
export type DeliveryOutcome = 'Success' | 'BadResponse' | 'RequestTimeout' | 'InvalidUrl';

/** One request to a subscriber. */
export interface WebhookRequest {
  /** Its X-Request-Id. */
  readonly requestId: string;
  readonly subscriptionId: string;
  readonly outcome: DeliveryOutcome;
  /** The receiver's, or 504 for a timeout or broken connection and 400 for an invalid URL. */
  readonly statusCode: number;
  readonly latencyMs: number | null;
  readonly createdMs: number;
  readonly attempts: readonly WebhookAttempt[];
}

/** One event within one request. */
export interface WebhookAttempt {
  readonly id: string;
  readonly eventId: string;
  readonly requestId: string;
  readonly subscriptionId: string;
  readonly createdMs: number;
}

/** The past events to deliver again: some by id, or those created between two times; as the schema has it. */
export type ReplayRequest =
  | { readonly typeCode: 'IdReplayRequest'; readonly eventIds: readonly string[] }
  | {
      readonly typeCode: 'RangeReplayRequest';
      readonly afterDateTime: Date;
      readonly beforeDateTime: Date;
      readonly replayDeliveredEventsIndicator: boolean;
      readonly hirerId: string | null;
    };

/** A request to deliver past events again. */
export interface Replay {
  readonly id: string;
  readonly subscriptionId: string;
  readonly request: ReplayRequest;
  statusCode: 'Submitted' | 'Running' | 'Completed';
  readonly createdMs: number;
  updatedMs: number;
}

/** True if a subscription matches an event, regardless of the hirer's current relationships. */
export function isFor({ eventTypeCode, schemeId, hirerId }: Subscription, event: EventRecord): boolean {
  return (
    eventTypeCode === event.type &&
    schemeId === event.schemeId &&
    (hirerId === null || hirerId === event.hirerId)
  );
}
