import type { lookup } from 'node:dns';
import type { Socket } from 'node:net';
import { within } from '../../../concurrency/within.js';
import { isNats } from '../../../config/values/broker-url.js';
import { Cancellation } from '../../../http/cancellation.js';
import type { DependencyClients } from '../../../http/outgoing/dependency-client.js';
import { BrokerFault, type BrokerConnection, type BrokerPlace } from './broker.js';
import {
  CONNECT_TIMEOUT_MS,
  Sink,
  type DeliveryMessage,
  type DeliveryOutcome,
  type SinkSettings,
} from './sink.js';

/** Pause while the broker accepts nothing, so that a backlog does not use up its attempts. */
const PAUSE_MS = 1_000;
/** Time to close a connection. */
const CLOSE_MS_MAX = 300;
const LOOK_MS = 10;
/** Bytes that a broker may send unasked: greetings, heartbeats, lists of streams. */
const BYTES_A_SECOND = 65_536;
const BYTES_AT_ONCE = 262_144;
/** A confirmation, or a message that comes back with as many bytes around it. */
const BYTES_FOR_BYTE = 2;
const MESSAGE_BYTES = 1_024;

/**
 * Delivers events to a broker, one message each: NATS JetStream or RabbitMQ. An event is delivered once the broker has
 * confirmed that it is stored. All deliveries share one connection, made by the first that needs it: each looks the address
 * up anew, and nothing waits in a library for a broker that is gone. A confirmation that does not come in time ends it, so
 * that what is unconfirmed never piles up in memory; unless the broker has said that it takes nothing now, for then nothing
 * more is sent. What a broker sends without being asked is bounded: the client libraries read whatever comes.
 */
export class BrokerSink extends Sink {
  /** Being made, or made; undefined after it has ended. */
  private connecting: Promise<BrokerConnection> | undefined;
  private connection: BrokerConnection | undefined;
  /** Ends the connection. */
  private life = new Cancellation();
  /** Bytes of messages without an answer yet, and of those that had one since the last look at the socket. */
  private asked = 0;
  private answered = 0;

  constructor(
    settings: SinkSettings,
    private readonly clients: Pick<DependencyClients, 'record'>,
    now: () => number = Date.now,
    resolver?: typeof lookup,
  ) {
    super(settings, now, resolver);
  }

  /** Looks whether the broker would take messages, and sends none. @throws BrokerFault */
  async look(): Promise<{ readonly seen: string; readonly isCertain: boolean }> {
    return (await (this.connecting ??= this.connect())).look();
  }

  async close(): Promise<void> {
    if (this.connection) await within(CLOSE_MS_MAX, this.connection.close()).catch(() => undefined);
    this.life.cancel(new BrokerFault('aborted', 'the service is stopping'));
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
      const failed = this.failed(error.message, error.cause);
      return {
        ...failed,
        ...(isForAll && { retryAfterMs: PAUSE_MS }),
        isTooLarge: error.kind === 'too_large',
      };
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

  private async inTime(work: Promise<void>, stopping: Cancellation): Promise<void> {
    const { promise, reject } = Promise.withResolvers<never>();
    const onStop = (): void => reject(new BrokerFault('aborted', 'the service is stopping'));
    if (stopping.cancelled) onStop();
    stopping.onCancel(onStop);
    const timer = setTimeout(() => reject(this.expire()), this.settings.timeoutMs);
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
    const { url } = this.settings;
    const life = (this.life = new Cancellation());
    const { promise: over, reject } = Promise.withResolvers<never>();
    life.onCancel(() => {
      this.connecting = this.connection = undefined;
      reject(life.reason);
    });
    const timeoutMs = Math.min(CONNECT_TIMEOUT_MS, this.settings.timeoutMs);
    const late = new BrokerFault('connection', `no connection within ${timeoutMs / 1000} s`);
    const timer = setTimeout(() => life.cancel(late), timeoutMs);
    try {
      const place = { url, lookup: this.lookup, life, adopt: (socket: Socket) => this.adopt(socket, life) };
      const connection = await Promise.race([open(place), over]);
      void connection.ended.then(() => life.cancel());
      return (this.connection = connection);
    } catch (error) {
      life.cancel();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  private adopt(socket: Socket, life: Cancellation): void {
    if (life.cancelled) return void socket.destroy(); // while the client library was loaded
    let seen = 0;
    let left = BYTES_AT_ONCE;
    const look = (): void => {
      const unasked = Math.max(0, socket.bytesRead - seen - BYTES_FOR_BYTE * (this.asked + this.answered));
      this.answered = 0;
      seen = socket.bytesRead;
      left = Math.min(BYTES_AT_ONCE, left + (BYTES_A_SECOND * LOOK_MS) / 1000) - unasked;
      if (left < 0) life.cancel(new BrokerFault('connection', 'the broker sends without end'));
    };
    const timer = setInterval(look, LOOK_MS).unref();
    life.onCancel(() => {
      clearInterval(timer);
      socket.destroy();
    });
  }
}

/** The client library is loaded only then. */
async function open(place: BrokerPlace): Promise<BrokerConnection> {
  if (isNats(place.url)) return (await import('./nats-sink.js')).openNats(place);
  return (await import('./rabbitmq-sink.js')).openRabbitMq(place);
}
