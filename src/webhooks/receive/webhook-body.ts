import { hash } from 'node:crypto';
import { BffError, clip } from '../../errors/bff-error.js';
import { isObject, parseExact, parseJsonObject } from '../../json/parse-json.js';
import { isHirerId } from '../../hirer-access/membership.js';
import { DERIVED_ID, UNTYPED, type WebhookEvent } from '../webhook-event.js';

type WebhookBody = { readonly subscriptionId: string | null; readonly events: readonly WebhookEvent[] };

/** Most events and values of a body: a megabyte of small ones would hold the event loop for a second. */
const EVENTS_MAX = 1_000;
const VALUES_MAX = 60_000;
const HEADER_SAFE_ID = /^[\x21-\x7e]{1,255}$/;
const TYPE_CHARACTERS_MAX = 255;
const REPLACEMENT = '\ufffd';
const TIME = /^[\x20-\x7e]{1,40}$/; // Date.parse ignores anything in parentheses

/**
 * Unknown types and members are kept.
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
