import type { EventRecord, EventType } from '../data/records.js';

/** A URL that receives one type of event. */
export interface Subscription {
  readonly id: string;
  readonly eventTypeCode: EventType;
  readonly schemeId: string;
  /** Null: every related hirer. */
  readonly hirerId: string | null;
  url: string;
  /** From 1 to 10. */
  maxEventsPerAttempt: number;
  signingAlgorithmCode: 'None' | 'SeekHmacSha512';
  secret: string | null;
  readonly createdMs: number;
  updatedMs: number;
}

/** How a request ended, in the upstream's words (facts 5). */
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

/** The past events to deliver again: some by id, or those created between two times. */
export type ReplayRequest =
  | { readonly kind: 'ids'; readonly eventIds: readonly string[] }
  | {
      readonly kind: 'range';
      readonly afterMs: number;
      readonly beforeMs: number;
      readonly includesDelivered: boolean;
      readonly hirerId: string | null;
    };

/** A request to deliver past events again. */
export interface Replay {
  readonly id: string;
  readonly subscriptionId: string;
  readonly request: ReplayRequest;
  statusCode: 'Submitted' | 'Running' | 'Completed' | 'Cancelled';
  readonly createdMs: number;
  updatedMs: number;
}

/** Whether a subscription is for an event, regardless of the hirer's current relationships. */
export function isFor({ eventTypeCode, schemeId, hirerId }: Subscription, event: EventRecord): boolean {
  return (
    eventTypeCode === event.type &&
    schemeId === event.schemeId &&
    (hirerId === null || hirerId === event.hirerId)
  );
}
