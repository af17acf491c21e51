import { hash } from 'node:crypto';
import { BffError } from '../../errors/bff-error.js';
import { parseJsonObject } from '../../errors/parse-json.js';
import { isHirerId } from '../../hirer-access/hirer-id.js';
import { parseExact } from '../../http/exact-json.js';
import type { WebhookEvent } from '../store/webhook-event.js';

/** What a webhook carries. */
export interface WebhookBody {
  readonly subscriptionId: string | null;
  readonly events: readonly WebhookEvent[];
}

const HEADER_SAFE_ID = /^[\x21-\x7e]{1,255}$/;
const TYPE = /^\w{1,255}$/;
const TIME = /^[\x20-\x7e]{1,40}$/; // Date.parse passes over anything in parentheses
const UNTYPED = 'Unknown';

type Members = Readonly<Record<string, unknown>>;

/**
 * Reads the body of a webhook. Types and members that are not known are kept.
 * @throws BffError `invalid_request` for another shape
 */
export function readWebhookBody(bytes: Buffer): WebhookBody {
  parseJsonObject(bytes);
  try {
    const { subscriptionId, events } = parseExact(bytes.toString('utf8')) as Members;
    if (!Array.isArray(events) || !events.every(isMembers)) throw badEvents('must be a list of objects');
    return {
      subscriptionId: isIdentifier(subscriptionId) ? subscriptionId : null,
      events: events.map(readWebhookEvent),
    };
  } catch (error) {
    if (error instanceof RangeError) throw badEvents('is nested too deeply');
    throw error;
  }
}

/** One event. Without an id that can be its name everywhere, it is known by the SHA-256 of its content. */
export function readWebhookEvent(event: Members): WebhookEvent {
  const payload = JSON.stringify(event);
  const { id, type, hirerId, createDateTime } = event;
  return {
    id: isIdentifier(id) ? id : `content:${hash('sha256', payload)}`,
    type: typeof type === 'string' && TYPE.test(type) ? type : UNTYPED,
    hirerId: isHirerId(hirerId) ? hirerId : null,
    createDateTime: isTime(createDateTime) ? createDateTime : null,
    payload,
  };
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
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
