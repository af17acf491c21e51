import { createHmac } from 'node:crypto';
import type { lookup } from 'node:dns';
import { isLoopbackHost } from '../../config/url-forms.js';
import { parseExact } from '../../json/parse-exact.js';
import type { Cancellation } from '../../http/cancellation.js';
import type { DependencyClient, DependencyClients } from '../../http/outgoing/dependency-client.js';
import { ExchangeFault, type IncomingAnswer } from '../../http/outgoing/exchange.js';
import { retryAfterSeconds } from '../../http/outgoing/retry-after.js';
import { RequestContext } from '../../http/request-context.js';
import type { DeliverableEvent, DeliveryOutcome, EventTarget } from './event-target.js';
import {
  ADDRESS_REFUSED,
  AddressRefused,
  guardedLookup,
  isRefusedLiteral,
  type SinkReach,
} from './sink-address.js';
import { DEFAULT_SINK } from '../store/event-sinks.js';
import type { WebhookEvent } from '../store/webhook-event.js';

const CONNECT_TIMEOUT_MS = 5_000;
const ANSWER_BYTES_MAX = 1_048_576;

/** Where events are delivered, and how. */
export interface SinkSettings {
  /** By which operators know it. */
  readonly name: string;
  readonly url: URL;
  /** The current keys, newest first. Each of them signs, so that the receiver can switch at any time. */
  readonly keys: () => readonly Buffer[];
  readonly allowPrivate: boolean;
  /** Wanted types and hirers; all when empty. */
  readonly types: readonly string[];
  readonly hirers: readonly string[];
  readonly timeoutMs: number;
  /** Requests under way at once. */
  readonly concurrency: number;
}

/**
 * Delivers events over HTTP in the Standard Webhooks scheme, one event per request. `webhook-id` is the event's id, by
 * which the receiver recognises a repeat, unless an operator redelivers the event as new. Redirects are not followed.
 */
export class EventSink implements EventTarget {
  readonly name: string;
  readonly timeoutMs: number;
  private readonly client: DependencyClient;
  private readonly refused: boolean;

  constructor(
    private readonly settings: SinkSettings,
    clients: DependencyClients,
    private readonly now: () => number = Date.now,
    resolver?: typeof lookup,
  ) {
    const { url, allowPrivate, concurrency, timeoutMs } = settings;
    this.name = settings.name === DEFAULT_SINK ? 'sink' : `sink:${settings.name}`; // as stores of older versions have it
    this.timeoutMs = timeoutMs;
    const reach: SinkReach = isLoopbackHost(url.hostname) ? 'loopback' : allowPrivate ? 'private' : 'public';
    this.refused = isRefusedLiteral(url.hostname, reach);
    const connecting = { timeoutMs: CONNECT_TIMEOUT_MS, lookup: guardedLookup(reach, resolver) };
    this.client = clients.open('event-sink', url, concurrency, connecting);
  }

  wants({ type, hirerId }: Pick<WebhookEvent, 'type' | 'hirerId'>): boolean {
    const { types, hirers } = this.settings;
    return (
      (types.length === 0 || types.includes(type)) &&
      (hirers.length === 0 || (hirerId !== null && hirers.includes(hirerId)))
    );
  }

  async deliver(event: DeliverableEvent, stopping: Cancellation): Promise<DeliveryOutcome> {
    if (this.refused) return { kind: 'failed', reason: this.addressRefused(ADDRESS_REFUSED) };
    const { url } = this.settings;
    const body = deliveryBody({ ...event, payload: payloadOf(event) });
    try {
      const request = {
        method: 'POST' as const,
        path: url.pathname + url.search,
        headers: this.headersOf(event, body),
        body,
        timeoutMs: this.timeoutMs,
        bodyBytesMax: ANSWER_BYTES_MAX,
        cancellation: stopping,
      };
      return this.judge(await this.client.send('event-sink', request, RequestContext.background()));
    } catch (error) {
      if (!(error instanceof ExchangeFault)) throw error;
      const { cause, kind } = error;
      return {
        kind: 'failed',
        reason:
          cause instanceof AddressRefused ? this.addressRefused(cause.message) : `${this.name}: ${kind}`,
      };
    }
  }

  async close(): Promise<void> {
    await this.client.close();
  }

  private addressRefused(text: string): string {
    return this.settings.name === DEFAULT_SINK ? text : `${this.name}: ${text}`;
  }

  private headersOf(event: DeliverableEvent, body: string): Record<string, string> {
    const { webhookId: id, isRepeat, isRedelivery, trust } = event;
    const timestamp = String(Math.floor(this.now() / 1000));
    const signatures = this.settings
      .keys()
      .map((key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`);
    return {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatures.join(' '),
      ...(isRepeat && { 'webhook-repeat': 'true' }),
      ...(isRedelivery && { 'webhook-repeat': 'operator' }),
      ...(trust === 'unsigned' && { 'webhook-unsigned': 'true' }),
    };
  }

  /** Only 410 is final: any other failure may be temporary, a 4xx included. */
  private judge({ status, headers }: IncomingAnswer): DeliveryOutcome {
    if (status >= 200 && status < 300) return { kind: 'delivered' };
    const reason = `${this.name}: status ${status}`;
    if (status === 410) return { kind: 'dead', reason };
    const wait = status === 429 || status === 503 ? retryAfterSeconds(headers['retry-after'], this.now()) : 0;
    return { kind: 'failed', reason, ...(wait && { retryAfterMs: wait * 1000 }) };
  }
}

/**
 * The event as it is stored, with what goes with it in place of members of these names; where it is redelivered as new,
 * with the id of the first delivery.
 */
function payloadOf({ id, webhookId, payload, object: delivered }: DeliverableEvent): string {
  if (webhookId === id && !delivered) return payload;
  const members = new Map(Object.entries(parseExact(payload) as object));
  if (webhookId !== id) members.set('redeliveryOf', id);
  if (!delivered) return JSON.stringify(Object.fromEntries(members));
  const { object, errors } = delivered;
  members.delete('object');
  members.delete('objectErrors');
  if (errors.length > 0) members.set('objectErrors', errors);
  const text = JSON.stringify(Object.fromEntries(members));
  if (object === undefined) return text;
  return `${text.slice(0, -1)}${members.size > 0 ? ',' : ''}"object":${object}}`;
}

/** `{type, timestamp, data}`: the whole event, numbers as they were sent. */
export function deliveryBody(
  event: Pick<DeliverableEvent, 'type' | 'createDateTime' | 'receivedAt' | 'payload'>,
): string {
  const timestamp = event.createDateTime ?? new Date(event.receivedAt).toISOString();
  return `{"type":${JSON.stringify(event.type)},"timestamp":${JSON.stringify(timestamp)},"data":${event.payload}}`;
}
