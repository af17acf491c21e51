/** How an event does (contract, ops routes): `failed` while it is retried, `stored` where nobody wants it delivered. */
export const EVENT_STATES = ['pending', 'delivered', 'failed', 'dead', 'stored'] as const;
export type EventState = (typeof EVENT_STATES)[number];

/**
 * By what an event is believed: a signature, the upstream's own answer to the `events` query, or nothing, where a
 * subscription is listed as unsigned.
 */
export type EventTrust = 'signed' | 'reconciled' | 'unsigned';

/** The type of event that tells of a changed relationship between partner and hirer. */
export const RELATIONSHIP_CHANGED = 'HirerRelationshipChanged';

/** An event as it came from the upstream. */
export interface WebhookEvent {
  readonly id: string;
  readonly type: string;
  readonly hirerId: string | null;
  /** As the upstream wrote it; null when it is no time. */
  readonly createDateTime: string | null;
  /** The whole event, as JSON on one line; every member and number as it came. */
  readonly payload: string;
}

/** An event, and what it came with. */
export interface ReceivedEvent extends WebhookEvent {
  readonly trust: EventTrust;
  readonly subscriptionId: string | null;
  /** `X-Request-Id` of the webhook; null for an event that reconciliation brought. */
  readonly requestId: string | null;
}
