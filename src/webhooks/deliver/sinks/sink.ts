import { createHmac } from 'node:crypto';
import type { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { Config } from '../../../config/load-config.js';
import type { SinkEntry } from '../../../config/values/sinks-file.js';
import { isLoopbackHost } from '../../../config/values/url-forms.js';
import { ERROR_CODES } from '../../../errors/error-codes.js';
import type { Cancellation } from '../../../http/request-context.js';
import {
  AddressRefused,
  guardedLookup,
  isAllowedAddress,
  isRefusedLiteral,
  type AddressRule,
} from './guarded-address.js';
import { parseExact } from '../../../json/parse-json.js';
import type { Claimed } from '../../store/deliveries.js';
import { DEFAULT_SINK, type SinkFilter } from '../../store/event-sinks.js';
import type { WebhookEvent } from '../../webhook-event.js';
import type { DeliveredObject } from '../read-object.js';

const ADDRESS_REFUSED = 'its address is not allowed';

export interface DeliverableEvent extends WebhookEvent, Pick<Claimed, 'receivedAt' | 'webhookId' | 'reason'> {
  /** Undefined for a type without one. */
  readonly object?: DeliveredObject;
}

/** An event as every sink receives it: the body and the headers of Standard Webhooks. `id` is its `webhook-id`. */
export interface DeliveryMessage extends Pick<WebhookEvent, 'id' | 'type' | 'hirerId'> {
  /** With `webhook-repeat` if it is sent again on purpose, although it may have been delivered before. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The result of an attempt. `dead` is a refusal for good: the sink is not asked again for this event. */
export interface DeliveryOutcome {
  readonly kind: 'delivered' | 'failed' | 'dead';
  readonly reason?: string;
  readonly retryAfterMs?: number;
  /** Of an answer over HTTP. */
  readonly status?: number;
  readonly isTooLarge?: boolean;
}

export interface SinkSettings extends SinkFilter {
  readonly url: URL;
  /** The current keys, newest first. Each of them signs, so that the receiver can switch; without any, it is unsigned. */
  readonly keys: () => readonly Buffer[];
  readonly allowPrivate: boolean;
  /** The longest that one attempt takes. */
  readonly timeoutMs: number;
  /** Most deliveries of one replica at once. */
  readonly concurrency: number;
  /** Pauses after the first failed attempt, the second, and so on. */
  readonly retrySeconds: readonly number[];
  readonly objects: boolean;
}

type SinkSecrets = Pick<Config, 'EVENT_SINK_SECRET' | 'EVENT_SINKS_FILE'>;

/** The sinks of the settings. @param secrets as they are rotated, which sign */
export function sinkSettings(
  config: Config,
  secrets: { readonly current: SinkSecrets } = { current: config },
): SinkSettings[] {
  return sinksOf(config).map((entry) => ({
    concurrency: config.EVENT_SINK_CONCURRENCY,
    allowPrivate: config.EVENT_SINK_ALLOW_PRIVATE,
    timeoutMs: config.EVENT_SINK_TIMEOUT_MS,
    retrySeconds: config.EVENT_SINK_RETRY_SECONDS,
    ...entry,
    keys: () => {
      const { EVENT_SINK_SECRET, EVENT_SINKS_FILE } = secrets.current;
      if (config.EVENT_SINK_URL) return EVENT_SINK_SECRET;
      return EVENT_SINKS_FILE.find(({ name }) => name === entry.name)!.keys;
    },
  }));
}

export function sinksOf(config: Config): readonly SinkEntry[] {
  const { EVENT_SINK_URL: url, EVENT_SINK_SECRET: keys, EVENT_SINK_TYPES: types } = config;
  if (!url) return config.EVENT_SINKS_FILE;
  return [{ name: DEFAULT_SINK, url, keys, types, hirers: config.EVENT_SINK_HIRERS, objects: true }];
}

/** The addresses of a sink at this host: loopback alone for a name of this machine. */
export function sinkAddressRule(hostname: string, allowPrivate: boolean): AddressRule {
  const elsewhere = allowPrivate ? 'private' : 'public';
  const reach = isLoopbackHost(hostname) ? 'loopback' : elsewhere;
  return (address) => isAllowedAddress(address, reach);
}

export abstract class Sink {
  /** In conditions, and in reasons, which the store keeps as `last_failure`: `sink`, or `sink:` and its name. */
  readonly label: string;
  /** Finds addresses that the sink may have, and no others. */
  protected readonly lookup: LookupFunction;
  private readonly refused: boolean;

  constructor(
    readonly settings: SinkSettings,
    protected readonly now: () => number = Date.now,
    resolver?: typeof lookup,
  ) {
    const { url, allowPrivate, name } = settings;
    this.label = name === DEFAULT_SINK ? 'sink' : `sink:${name}`;
    const rule = sinkAddressRule(url.hostname, allowPrivate);
    this.refused = isRefusedLiteral(url.hostname, rule);
    this.lookup = guardedLookup(rule, resolver);
  }

  /**
   * Never rejects for what the sink does. An event that is too large for it is sent without its object; one that still
   * is, is refused for good.
   */
  async deliver(event: DeliverableEvent, stopping: Cancellation): Promise<DeliveryOutcome> {
    if (this.refused) return this.failed(ADDRESS_REFUSED, undefined);
    const outcome = await this.send(messageOf(event, this.settings.keys(), this.now()), stopping);
    if (!outcome.isTooLarge) return outcome;
    if (event.object?.object === undefined) return { ...outcome, kind: 'dead' };
    const errors = [...event.object.errors, { code: ERROR_CODES.payload_too_large.graphqlCode }];
    return this.deliver({ ...event, object: { object: undefined, errors } }, stopping);
  }

  abstract close(): Promise<void>;

  protected abstract send(message: DeliveryMessage, stopping: Cancellation): Promise<DeliveryOutcome>;

  /** @param cause an address that the sink may not have is told in place of the reason */
  protected failed(reason: string, cause: unknown): DeliveryOutcome {
    const told = cause instanceof AddressRefused ? ADDRESS_REFUSED : reason;
    return { kind: 'failed', reason: `${this.label}: ${told}` };
  }
}

function messageOf(event: DeliverableEvent, keys: readonly Buffer[], now: number): DeliveryMessage {
  const { webhookId: id, type, hirerId, reason } = event;
  const body = deliveryBody({ ...event, payload: payloadOf(event) });
  const timestamp = String(Math.floor(now / 1000));
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  );
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    ...(signatures.length > 0 && { 'webhook-signature': signatures.join(' ') }),
    ...(reason !== 'new' && { 'webhook-repeat': reason === 'operator' ? 'operator' : 'true' }),
  };
  return { id, type, hirerId, headers, body };
}

/** `{type, timestamp, data}`: the whole event, numbers as they were sent. */
export function deliveryBody(
  event: Pick<DeliverableEvent, 'type' | 'createDateTime' | 'receivedAt' | 'payload'>,
): string {
  const timestamp = event.createDateTime ?? new Date(event.receivedAt).toISOString();
  return `{"type":${JSON.stringify(event.type)},"timestamp":${JSON.stringify(timestamp)},"data":${event.payload}}`;
}

/** Members that only the service sets. They are removed from an event that came with them. */
const OWN_MEMBERS = ['object', 'objectErrors', 'redeliveryOf'];

/** A payload as it is sent on, to sinks and browsers. */
export function sentPayload(payload: string): string {
  if (!OWN_MEMBERS.some((name) => payload.includes(`"${name}":`))) return payload;
  const members = Object.entries(parseExact(payload) as object);
  return JSON.stringify(Object.fromEntries(members.filter(([name]) => !OWN_MEMBERS.includes(name))));
}

/** As it is stored, with the event's object, and where it is redelivered as new, with the id of the first delivery. */
function payloadOf({ id, webhookId, payload, object: delivered }: DeliverableEvent): string {
  const { object, errors = [] } = delivered ?? {};
  const rest = sentPayload(payload).slice(0, -1);
  const members = [
    ...(rest === '{' ? [] : [rest.slice(1)]),
    ...(webhookId === id ? [] : [`"redeliveryOf":${JSON.stringify(id)}`]),
    ...(errors.length === 0 ? [] : [`"objectErrors":${JSON.stringify(errors)}`]),
    ...(object === undefined ? [] : [`"object":${object}`]),
  ];
  return `{${members.join(',')}}`;
}
