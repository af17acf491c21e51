import { hash } from 'node:crypto';
import { BffError } from '../../errors/bff-error.js';
import { clip } from '../../errors/clip.js';
import { parseJsonObject } from '../../json/parse-json-object.js';
import { isHirerId } from '../../hirer-access/hirer-id.js';
import { parseExact } from '../../json/parse-exact.js';
import { isObject } from '../../json/is-object.js';
import { UNTYPED, type WebhookEvent } from '../store/webhook-event.js';

/** The contents of a webhook. */
export interface WebhookBody {
  readonly subscriptionId: string | null;
  readonly events: readonly WebhookEvent[];
}

const HEADER_SAFE_ID = /^[\x21-\x7e]{1,255}$/;
const TYPE_CHARACTERS_MAX = 255;
const REPLACEMENT = '\ufffd';
const TIME = /^[\x20-\x7e]{1,40}$/; // Date.parse ignores anything in parentheses

type Members = Readonly<Record<string, unknown>>;

/**
 * Reads the body of a webhook. Unknown types and members are kept.
 * @param eventsMax how many events it may hold
 * @param valuesMax how many values, at all depths
 * @throws BffError `invalid_request` for another shape, or for more events or values
 */
export function readWebhookBody(bytes: Buffer, eventsMax = Infinity, valuesMax = Infinity): WebhookBody {
  try {
    const { subscriptionId, events } = parseJsonObject(bytes, valuesMax, parseExact);
    if (!Array.isArray(events) || !events.every(isObject)) throw badEvents('must be a list of objects');
    if (events.length > eventsMax) throw badEvents(`must be a list of at most ${eventsMax} objects`);
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
export function readWebhookEvent(event: Members): WebhookEvent {
  const payload = JSON.stringify(event);
  const { id, type, hirerId, createDateTime } = event;
  return {
    id: isIdentifier(id) ? id : `content:${hash('sha256', payload)}`,
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
