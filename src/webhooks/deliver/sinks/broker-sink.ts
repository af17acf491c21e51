import type { lookup } from 'node:dns';
import { within } from '../../../concurrency/within.js';
import { isNats } from '../../../config/values/broker-url.js';
import { Cancellation } from '../../../http/cancellation.js';
import type { DependencyClients } from '../../../http/outgoing/dependency-client.js';
import type { DeliveryOutcome } from '../event-target.js';
import { BrokerFault, type BrokerConnection, type BrokerPlace, type OpenBroker } from './broker.js';
import type { DeliveryMessage } from './delivery-message.js';
import { CONNECT_TIMEOUT_MS, EventSink, type SinkSettings } from './event-sink.js';

/** While the broker takes nothing, nothing is tried for that long: a backlog would use up its attempts together. */
const PAUSE_MS = 1_000;
/** Of a message, besides its body. */
const MESSAGE_BYTES = 1_024;
/** To say goodbye. */
const CLOSE_MS_MAX = 300;
const STOPPING = new BrokerFault('aborted', 'the service is stopping');

/** Opens the broker of a URL; its client library is loaded only then. */
export const openBroker: OpenBroker = async (place, life) => {
  const open = isNats(place.url)
    ? (await import('./nats.js')).openNats
    : (await import('./rabbitmq.js')).openRabbitMq;
  return open(place, life);
};

/**
 * Delivers events to a broker, one message each: NATS JetStream or RabbitMQ. An event is delivered once the broker has
 * confirmed that it is stored. All deliveries share one connection, made by the first that needs it. A confirmation that
 * does not come in time ends it, so that what is unconfirmed never piles up in memory; unless the broker has said that it
 * takes nothing now, for then nothing more is sent.
 */
export class BrokerSink extends EventSink {
  /** Being made, or made; undefined after it has ended. */
  private connecting: Promise<BrokerConnection> | undefined;
  private connection: BrokerConnection | undefined;
  /** Ends the connection. */
  private life = new Cancellation();
  /** Bytes of messages without an answer yet, and of those that had one since {@link takeAsked}. */
  private asked = 0;
  private answered = 0;

  constructor(
    settings: SinkSettings,
    private readonly clients: Pick<DependencyClients, 'record'>,
    now: () => number = Date.now,
    resolver?: typeof lookup,
    private readonly open: OpenBroker = openBroker,
  ) {
    super(settings, now, resolver);
  }

  async close(): Promise<void> {
    if (this.connection) await within(CLOSE_MS_MAX, this.connection.close()).catch(() => undefined);
    this.life.cancel(STOPPING);
  }

  protected async send(message: DeliveryMessage, stopping: Cancellation): Promise<DeliveryOutcome> {
    const startedAt = performance.now();
    let outcome = 'confirmed';
    try {
      await this.inTime(this.publish(message), stopping);
      return { kind: 'delivered' };
    } catch (error) {
      if (!(error instanceof BrokerFault)) throw error;
      outcome = error.kind;
      const isForAll = error.kind === 'connection' || error.kind === 'blocked';
      const pause = isForAll && { retryAfterMs: PAUSE_MS };
      const isTooLarge = error.kind === 'too_large' && { isTooLarge: true as const };
      return { ...this.failed(error.message, error.cause), ...pause, ...isTooLarge };
    } finally {
      this.clients.record('event-sink', outcome, startedAt);
    }
  }

  private async publish(message: DeliveryMessage): Promise<void> {
    const connecting = (this.connecting ??= this.connect());
    const { life } = this;
    const bytes = Buffer.byteLength(message.body) + MESSAGE_BYTES;
    this.asked += bytes;
    try {
      await (await connecting).publish(message);
    } catch (error) {
      throw life.reason instanceof BrokerFault ? life.reason : error;
    } finally {
      this.asked -= bytes;
      this.answered += bytes;
    }
  }

  private takeAsked(): number {
    const bytes = this.asked + this.answered;
    this.answered = 0;
    return bytes;
  }

  private async inTime(work: Promise<void>, stopping: Cancellation): Promise<void> {
    const { promise, reject } = Promise.withResolvers<never>();
    const onStop = (): void => reject(STOPPING);
    if (stopping.cancelled) onStop();
    stopping.onCancel(onStop);
    const timer = setTimeout(() => reject(this.expire()), this.timeoutMs);
    try {
      await Promise.race([work, promise]);
    } finally {
      clearTimeout(timer);
      stopping.offCancel(onStop);
    }
  }

  private expire(): BrokerFault {
    const obstacle = this.connection?.obstacle;
    if (obstacle === undefined) this.life.cancel(new BrokerFault('connection', 'the broker is silent'));
    return new BrokerFault('timeout', obstacle ?? 'no confirmation in time');
  }

  private async connect(): Promise<BrokerConnection> {
    const life = (this.life = new Cancellation());
    life.onCancel(() => (this.connecting = this.connection = undefined));
    const place = { url: this.settings.url, lookup: this.lookup, takeAsked: () => this.takeAsked() };
    try {
      const timeoutMs = Math.min(CONNECT_TIMEOUT_MS, this.timeoutMs);
      const connection = await openWithin(timeoutMs, this.open, place, life);
      void connection.ended.then(() => life.cancel());
      return (this.connection = connection);
    } catch (error) {
      life.cancel();
      throw error;
    }
  }
}

/**
 * Connects within a time; what comes later is ended.
 * @throws BrokerFault
 */
export async function openWithin(
  timeoutMs: number,
  open: OpenBroker,
  place: BrokerPlace,
  life: Cancellation,
): Promise<BrokerConnection> {
  const late = new BrokerFault('connection', `no connection within ${timeoutMs / 1000} s`);
  const timer = setTimeout(() => life.cancel(late), timeoutMs);
  const { promise, reject } = Promise.withResolvers<never>();
  const onEnd = (): void => reject(life.reason);
  life.onCancel(onEnd);
  try {
    return await Promise.race([open(place, life), promise]);
  } finally {
    clearTimeout(timer);
    life.offCancel(onEnd);
  }
}
