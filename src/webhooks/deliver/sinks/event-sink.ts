import type { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isLoopbackHost } from '../../../config/values/url-forms.js';
import { ERROR_CODES } from '../../../errors/error-codes.js';
import type { Cancellation } from '../../../http/cancellation.js';
import {
  AddressRefused,
  guardedLookup,
  isAllowedAddress,
  isRefusedLiteral,
  type AddressRule,
} from '../../../http/outgoing/guarded-address.js';
import { DEFAULT_SINK } from '../../store/event-sinks.js';
import type { DeliverableEvent, DeliveryOutcome, EventTarget } from '../event-target.js';
import { messageOf, type DeliveryMessage } from './delivery-message.js';

/** Longest time that a connection to a sink may take. */
export const CONNECT_TIMEOUT_MS = 5_000;

const ADDRESS_REFUSED = 'the sink has an address that is not allowed';

/** The addresses of a sink at this host: loopback alone for a name of this machine. */
export function sinkAddressRule(hostname: string, allowPrivate: boolean): AddressRule {
  const elsewhere = allowPrivate ? 'private' : 'public';
  const reach = isLoopbackHost(hostname) ? 'loopback' : elsewhere;
  return (address) => isAllowedAddress(address, reach);
}

/** Where events are delivered, and how. */
export interface SinkSettings {
  /** By which operators know it. */
  readonly name: string;
  readonly url: URL;
  /** The current keys, newest first. Each of them signs, so that the receiver can switch at any time. */
  readonly keys: () => readonly Buffer[];
  readonly allowPrivate: boolean;
  readonly timeoutMs: number;
  /** Deliveries under way at once. */
  readonly concurrency: number;
}

/**
 * A receiver of events outside the process, each as one {@link DeliveryMessage}. `webhook-id` is the event's id, by which
 * the receiver recognises a repeat, unless an operator redelivers the event as new.
 */
export abstract class EventSink implements EventTarget {
  readonly name: string;
  readonly timeoutMs: number;
  /** Finds addresses that the sink may have, and no others. */
  protected readonly lookup: LookupFunction;
  private readonly refused: boolean;

  constructor(
    protected readonly settings: SinkSettings,
    protected readonly now: () => number,
    resolver?: typeof lookup,
  ) {
    const { url, allowPrivate, name, timeoutMs } = settings;
    this.name = name === DEFAULT_SINK ? 'sink' : `sink:${name}`; // as stores of older versions have it
    this.timeoutMs = timeoutMs;
    const rule = sinkAddressRule(url.hostname, allowPrivate);
    this.refused = isRefusedLiteral(url.hostname, rule);
    this.lookup = guardedLookup(rule, resolver);
  }

  /** An event that is too large for the sink is sent without its object; one that still is, is refused for good. */
  async deliver(event: DeliverableEvent, stopping: Cancellation): Promise<DeliveryOutcome> {
    if (this.refused) return this.failed(ADDRESS_REFUSED, new AddressRefused());
    const outcome = await this.send(this.messageOf(event), stopping);
    if (!outcome.isTooLarge || !event.object?.object) return finalIfTooLarge(outcome);
    const errors = [...event.object.errors, { code: ERROR_CODES.payload_too_large.graphqlCode }];
    const sentObject = { ...event.object, object: undefined, errors };
    const sent = await this.send(this.messageOf({ ...event, object: sentObject }), stopping);
    return { ...finalIfTooLarge(sent), sentObject };
  }

  private messageOf(event: DeliverableEvent): DeliveryMessage {
    return messageOf(event, this.settings.keys(), this.now());
  }

  abstract close(): Promise<void>;

  /** One attempt; never rejects for what the sink does. */
  protected abstract send(message: DeliveryMessage, stopping: Cancellation): Promise<DeliveryOutcome>;

  /** @param cause an address that the sink may not have is told in place of the reason */
  protected failed(reason: string, cause: unknown): DeliveryOutcome & { readonly kind: 'failed' } {
    if (!(cause instanceof AddressRefused)) return { kind: 'failed', reason: `${this.name}: ${reason}` };
    const isDefault = this.settings.name === DEFAULT_SINK;
    return { kind: 'failed', reason: isDefault ? ADDRESS_REFUSED : `${this.name}: ${ADDRESS_REFUSED}` };
  }
}

function finalIfTooLarge({ isTooLarge, ...outcome }: DeliveryOutcome): DeliveryOutcome {
  return isTooLarge && outcome.kind === 'failed' ? { ...outcome, kind: 'dead' } : outcome;
}
