import { createHmac } from 'node:crypto';
import { parseExact } from '../../../json/exact-json.js';
import type { QueueReason } from '../../store/deliveries.js';
import type { WebhookEvent } from '../../store/webhook-event.js';
import type { DeliveredObject } from '../objects/read-object.js';

/** An event being delivered. */
export interface DeliverableEvent extends WebhookEvent {
  /** Epoch milliseconds. */
  readonly receivedAt: number;
  /** The identifier of its deliveries: its `id`, or a new one where an operator redelivered it as new. */
  readonly webhookId: string;
  /** Why it is delivered. */
  readonly reason: QueueReason;
  /** Its object; undefined for a type without one. */
  readonly object?: DeliveredObject;
}

/** An event as every sink receives it: the body and the headers of Standard Webhooks. */
export interface DeliveryMessage {
  /** `webhook-id`. */
  readonly id: string;
  readonly type: string;
  readonly hirerId: string | null;
  /** With `webhook-repeat` if it is sent again on purpose, although it may have been delivered before. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** @param keys each of them signs, so that the receiver can switch at any time; without keys, unsigned */
export function messageOf(event: DeliverableEvent, keys: readonly Buffer[], now: number): DeliveryMessage {
  const { webhookId: id, type, hirerId } = event;
  const body = deliveryBody({ ...event, payload: payloadOf(event) });
  return { id, type, hirerId, headers: headersOf(event, body, keys, now), body };
}

/** `{type, timestamp, data}`: the whole event, numbers as they were sent. */
export function deliveryBody(
  event: Pick<DeliverableEvent, 'type' | 'createDateTime' | 'receivedAt' | 'payload'>,
): string {
  const timestamp = event.createDateTime ?? new Date(event.receivedAt).toISOString();
  return `{"type":${JSON.stringify(event.type)},"timestamp":${JSON.stringify(timestamp)},"data":${event.payload}}`;
}

function headersOf(
  { webhookId: id, reason }: DeliverableEvent,
  body: string,
  keys: readonly Buffer[],
  now: number,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  );
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    ...(signatures.length > 0 && { 'webhook-signature': signatures.join(' ') }),
    ...(reason !== 'new' && { 'webhook-repeat': reason === 'operator' ? 'operator' : 'true' }),
  };
}

/** Members that only the service sets. They are removed from an event that came with them. */
const OWN_MEMBERS = ['object', 'objectErrors', 'redeliveryOf'];

/** The payload of an event as it is sent on, to sinks and browsers. */
export function sentPayload(payload: string): string {
  const hasOwn = OWN_MEMBERS.some((name) => payload.includes(`"${name}":`));
  return hasOwn ? JSON.stringify(Object.fromEntries(membersOf(payload))) : payload;
}

function membersOf(payload: string): Map<string, unknown> {
  const members = new Map(Object.entries(parseExact(payload) as object));
  for (const name of OWN_MEMBERS) members.delete(name);
  return members;
}

/**
 * The event as it is stored, with the object that goes with it, and where it is redelivered as new, with the id of the
 * first delivery.
 */
function payloadOf({ id, webhookId, payload, object: delivered }: DeliverableEvent): string {
  if (webhookId === id && !delivered) return sentPayload(payload);
  const members = membersOf(payload);
  if (webhookId !== id) members.set('redeliveryOf', id);
  if (!delivered) return JSON.stringify(Object.fromEntries(members));
  const { object, errors } = delivered;
  if (errors.length > 0) members.set('objectErrors', errors);
  const text = JSON.stringify(Object.fromEntries(members));
  if (object === undefined) return text;
  return `${text.slice(0, -1)}${members.size > 0 ? ',' : ''}"object":${object}}`;
}
