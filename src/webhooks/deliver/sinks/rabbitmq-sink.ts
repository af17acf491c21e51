import type { TcpSocketConnectOpts } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AMQPConnectionError, Connection, type AMQPError, type Publisher } from 'rabbitmq-client';
import { exchangeOf, hasTls, virtualHostOf } from '../../../config/values/broker-url.js';
import { socketHost } from '../../../config/values/url-forms.js';
import { BrokerFault, BrokerSink, connectionFault, routingKey } from './broker-sink.js';
import type { DeliveryMessage } from './sink.js';

const HEARTBEAT_SECONDS = 10;
/** Of a frame, by its head: above this Node throws where the client does not catch, and an HTTP answer reads as one. */
const FRAME_BYTES_MAX = 2 ** 32;
const ALARM = 'the broker takes no messages now: an alarm of memory or disk';

interface Link {
  readonly connection: Connection;
  readonly publisher: Publisher;
  /** Messages under way by id: the latest, where an earlier attempt was late and may come back as well. */
  readonly sent: Map<string | undefined, { isReturned: boolean }>;
  /** By an alarm: what is sent would wait in memory. */
  isBlocked: boolean;
  /** What ended it. */
  fault?: unknown;
}

/** Delivers events to an exchange of RabbitMQ, as persistent and mandatory messages. */
export class RabbitMqSink extends BrokerSink {
  private readonly exchange = exchangeOf(this.settings.url);
  private link: Link | undefined;

  connect(): Promise<void> {
    return this.use((link) => link.connection.exchangeDeclare({ exchange: this.exchange, passive: true }));
  }

  protected async publish({ id, type, hirerId, headers, body: text }: DeliveryMessage): Promise<void> {
    const to = { exchange: this.exchange, routingKey: routingKey(type, hirerId), mandatory: true };
    const properties = { messageId: id, contentType: 'application/json', durable: true, headers };
    const body = Buffer.from(text);
    await this.use(async (link) => {
      if (link.isBlocked) throw new BrokerFault('blocked', ALARM);
      const message = { isReturned: false };
      link.sent.set(id, message);
      try {
        await link.publisher.send({ ...to, ...properties }, body);
        await nextTurn(); // the client tells a return in the turn after the confirmation
      } finally {
        if (link.sent.get(id) === message) link.sent.delete(id);
      }
      if (message.isReturned) throw new BrokerFault('refused', 'no queue is bound for its routing key');
    }, body.length);
  }

  async close(): Promise<void> {
    this.link?.connection.unsafeDestroy();
    this.link = undefined;
  }

  private async use(work: (link: Link) => Promise<void>, bytes = 0): Promise<void> {
    const link = (this.link ??= this.open());
    try {
      await work(link);
    } catch (error) {
      if (error instanceof BrokerFault) throw error;
      if ((error as AMQPError).code === 'NACK') {
        throw new BrokerFault('refused', 'the broker could not store it', error);
      }
      this.end(link, error);
      throw this.faultOf(link.fault, bytes);
    }
  }

  private open(): Link {
    const { url } = this.settings;
    const [username, password] = [url.username, url.password].map(decodeURIComponent);
    const port = Number(url.port || (hasTls(url) ? 5671 : 5672));
    const to = { host: socketHost(url.hostname), port, lookup: this.lookup };
    const socket: TcpSocketConnectOpts = Object.assign(to, { highWaterMark: FRAME_BYTES_MAX });
    const connection = new Connection({
      socket,
      tls: hasTls(url) && { minVersion: 'TLSv1.2' },
      ...((username || password) && { username, password }),
      vhost: virtualHostOf(url),
      heartbeat: HEARTBEAT_SECONDS,
      connectionTimeout: this.connectMs,
      connectionName: 'partner-bff',
      noDelay: true,
    });
    const exchanges = [{ exchange: this.exchange, passive: true }];
    const publisher = connection.createPublisher({ confirm: true, exchanges });
    const link: Link = { connection, publisher, sent: new Map(), isBlocked: false };
    publisher.on('basic.return', ({ messageId }) => {
      const message = link.sent.get(messageId);
      if (message) message.isReturned = true;
    });
    connection.on('connection.blocked', () => (link.isBlocked = true));
    connection.on('connection.unblocked', () => (link.isBlocked = false));
    connection.on('error', (error) => this.end(link, error));
    return link;
  }

  private end(link: Link, fault: unknown): void {
    link.fault ??= fault;
    if (this.link !== link) return;
    this.link = undefined;
    link.connection.unsafeDestroy();
  }

  /** @param bytes of the message, which may have been another's that was too large */
  private faultOf(cause: unknown, bytes: number): BrokerFault {
    const { code, message } = cause as AMQPError;
    const bytesMax = / larger than configured max size (\d+)/.exec(message)?.[1];
    if (bytesMax && bytes > Number(bytesMax)) {
      return new BrokerFault('too_large', 'it is larger than the broker takes', cause);
    }
    const isOfChannel = !(cause instanceof AMQPConnectionError);
    const reason = {
      ACCESS_REFUSED: isOfChannel
        ? `these credentials may not publish to ${this.exchange}`
        : 'the broker refuses the credentials',
      NOT_ALLOWED: 'the virtual host is not there, or not for these credentials',
      NOT_FOUND: `there is no exchange ${this.exchange}`,
    }[code];
    return reason ? new BrokerFault('connection', reason, cause) : connectionFault(cause);
  }
}
