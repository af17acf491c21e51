import { hash } from 'node:crypto';
import { BffError, clip } from '../errors/bff-error.js';
import { isHirerId } from '../http/end-user.js';
import { isObject, parseExact, parseJsonObject } from '../json/parse-json.js';

/** `failed` while it is retried, `stored` where no sink wants it (docs/events.md). */
export const EVENT_STATES = ['pending', 'delivered', 'failed', 'dead', 'stored'] as const;
export type EventState = (typeof EVENT_STATES)[number];

/** How an event is authenticated: by a signature, or by the upstream's own answer to the `events` query. */
export type EventTrust = 'signed' | 'reconciled';

/** Prefix of the ids under which further hirers' events with the same id are stored. No event is sent with such an id. */
export const DERIVED_ID = 'conflict:';

/** Twice what the upstream keeps (interface 6). */
export const OUTDATED_MS = 180 * 86_400_000;

export const UNTYPED = 'Unknown';

export const RELATIONSHIP_CHANGED = 'HirerRelationshipChanged';

/** An event as the upstream sent it. */
export interface WebhookEvent {
  readonly id: string;
  /** As it was sent, cut at 255 characters and with control characters replaced; `Unknown` without one. */
  readonly type: string;
  readonly hirerId: string | null;
  /** As it was sent; null when it is not a time. */
  readonly createDateTime: string | null;
  /** The whole event, as JSON on one line; every member and number as it was sent. */
  readonly payload: string;
}

export interface ReceivedEvent extends WebhookEvent {
  readonly trust: EventTrust;
  readonly subscriptionId: string | null;
  /** `X-Request-Id` of the webhook; null for an event found by reconciliation. */
  readonly requestId: string | null;
}

/** An event under the id that it is stored by; `sharedId` is the one that it came with, where another hirer's has that. */
export type IdentifiedEvent = ReceivedEvent & { readonly sharedId?: string };

/** The columns of `events` that are the members of a {@link ReceivedEvent}, its payload aside. */
export const EVENT_COLUMNS = `id, trust, type, hirer_id AS "hirerId", subscription_id AS "subscriptionId",
  request_id AS "requestId", create_date_time AS "createDateTime"`;

/** New; new under an id of its own, since another hirer has its id; known; delivered again; completed by this copy. */
export type Insertion = 'stored' | 'conflict' | 'repeated' | 'redelivered' | 'completed';

/** True for a webhook's event that was created too long before `now` to be new; what the upstream itself answers is not. */
export function isOutdated({ trust, createDateTime }: ReceivedEvent, now: number): boolean {
  return trust === 'signed' && createDateTime !== null && Date.parse(createDateTime) < now - OUTDATED_MS;
}

const AD = { positionProfileId: 'The ad.' };

/**
 * The documented types of events (interface 13), with the identifiers that their webhooks carry besides those of every
 * event. `schemas/event-delivery.json` describes the same; the types of the client are made from this table.
 */
export const EVENT_TYPES = {
  CandidateApplicationCreated: {
    about: 'A candidate applied for a position.',
    members: {
      candidateId: 'The candidate.',
      candidateApplicationProfileId: 'The application: the profile of the candidate as it was sent.',
    },
  },
  CandidateProfilePurchased: {
    about: 'A hirer purchased the profile of a candidate.',
    members: { candidateProfileId: 'The profile.' },
  },
  HirerRelationshipChanged: {
    about: 'The relationships of a hirer with the partner changed.',
    members: {},
  },
  PositionProfilePosted: { about: 'An ad went live.', members: AD },
  PositionProfileUpdated: { about: 'A live ad was changed.', members: AD },
  PositionProfileClosed: { about: 'An ad was closed, or reached its end.', members: AD },
  PositionNotPosted: {
    about: 'A position could not be advertised.',
    members: {
      reasonId: 'Identifies the reason.',
      seekPartnerPositionId: "The partner's own identifier of the position.",
    },
  },
} as const satisfies Readonly<Record<string, { about: string; members: Readonly<Record<string, string>> }>>;

export type DocumentedType = keyof typeof EVENT_TYPES;

export function isDocumented(type: string): type is DocumentedType {
  return Object.hasOwn(EVENT_TYPES, type);
}

/** Most events and values of a body: a megabyte of small ones would hold the event loop for a second. */
const EVENTS_MAX = 1_000;
const VALUES_MAX = 60_000;
const HEADER_SAFE_ID = /^[\x21-\x7e]{1,255}$/;
const TYPE_CHARACTERS_MAX = 255;
const REPLACEMENT = '\ufffd';
const TIME = /^\d{4}-\d\d-\d\dT[-+\d:.Z]{1,30}$/; // Date.parse reads a time out of nearly any text

type WebhookBody = { readonly subscriptionId: string | null; readonly events: readonly WebhookEvent[] };

/**
 * The body of a webhook. Unknown types and members are kept.
 * @throws BffError `invalid_request` for another shape, and for more than 1,000 events or 60,000 values
 */
export function readWebhookBody(bytes: Buffer): WebhookBody {
  try {
    const { subscriptionId, events } = parseJsonObject(bytes, VALUES_MAX, parseExact);
    if (!Array.isArray(events) || !events.every(isObject)) throw badEvents('must be a list of objects');
    if (events.length > EVENTS_MAX) throw badEvents(`must be a list of at most ${EVENTS_MAX} objects`);
    return {
      subscriptionId: isIdentifier(subscriptionId) ? subscriptionId : null,
      events: events.map(readWebhookEvent),
    };
  } catch (error) {
    if (error instanceof RangeError) throw badEvents('is nested too deeply');
    throw error;
  }
}

/** One event. Without an id that fits into a header, it is identified by the SHA-256 of its content. */
export function readWebhookEvent(event: Readonly<Record<string, unknown>>): WebhookEvent {
  const payload = JSON.stringify(event);
  const { id, type, hirerId, createDateTime } = event;
  return {
    id: isIdentifier(id) && !id.startsWith(DERIVED_ID) ? id : `content:${hash('sha256', payload)}`,
    type: typeof type === 'string' && type !== '' ? readableType(type) : UNTYPED,
    hirerId: isHirerId(hirerId) ? hirerId : null,
    createDateTime: isTime(createDateTime) ? createDateTime : null,
    payload,
  };
}

/** The type as it was sent, bounded in length, and without what a store or terminal could not take. */
function readableType(type: string): string {
  return clip(type, TYPE_CHARACTERS_MAX)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, REPLACEMENT);
}

function isIdentifier(value: unknown): value is string {
  return typeof value === 'string' && HEADER_SAFE_ID.test(value);
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && TIME.test(value) && !Number.isNaN(Date.parse(value));
}

function badEvents(message: string): BffError {
  return new BffError('invalid_request', { errors: [{ field: 'events', message }] });
}
