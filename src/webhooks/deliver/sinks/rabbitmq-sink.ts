import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { connect, type ChannelModel, type ConfirmChannel } from 'amqplib';
import { exchangeOf, hasTls, virtualHostOf } from '../../../config/values/broker-url.js';
import { socketHost } from '../../../config/values/url-forms.js';
import { BrokerFault, connectionFault, type BrokerConnection, type BrokerPlace } from './broker.js';
import type { DeliveryMessage } from './sink.js';
import { routingKey } from './routing-key.js';

const HEARTBEAT_SECONDS = 10;
/** Reply codes of AMQP 0-9-1, section 1.2. */
const ACCESS_REFUSED = 403;
const NOT_FOUND = 404;
const ALARM = 'the broker takes no messages now: an alarm of memory or disk';

/** Connects to RabbitMQ, and makes sure that the exchange is there. */
export async function openRabbitMq(place: BrokerPlace): Promise<BrokerConnection> {
  const model = await connectTo(place);
  try {
    const channel = await model.createConfirmChannel();
    const opened = new RabbitMqExchange(model, channel, exchangeOf(place.url));
    await opened.look();
    return opened;
  } catch (error) {
    throw error instanceof BrokerFault ? error : connectionFault(error);
  }
}

async function connectTo({ url, lookup, life, adopt }: BrokerPlace): Promise<ChannelModel> {
  const [username, password] = [url.username, url.password].map(decodeURIComponent) as [string, string];
  const server = {
    protocol: hasTls(url) ? 'amqps' : 'amqp',
    hostname: socketHost(url.hostname),
    ...(url.port && { port: Number(url.port) }),
    ...((username || password) && { username, password }),
    vhost: encodeURIComponent(virtualHostOf(url)),
    heartbeat: HEARTBEAT_SECONDS,
  };
  const clientProperties = { connection_name: 'partner-bff' };
  const signal = life.toSignal(); // a socket that is destroyed without an error is missed by the library until a heartbeat
  const socket = { lookup, signal, minVersion: 'TLSv1.2' as const, noDelay: true, clientProperties };
  try {
    return await readByteByByte(adopt, async () => {
      const model = await connect(server, socket);
      model.on('error', () => undefined); // from now on, also while the channel opens; told by the end of the channel
      return model;
    });
  } catch (error) {
    throw handshakeFault(error);
  }
}

/**
 * Connects by the client library, which takes no listener for errors before the connection is open. An error in the last
 * bytes of the handshake would end the process. Each of its some six hundred bytes is therefore read in its own turn of the
 * event loop, until the work is done and its caller listens.
 * @param onOpen called with the socket before it connects
 * @param work opens its socket at once
 */
async function readByteByByte<T>(onOpen: (socket: Socket) => void, work: () => Promise<T>): Promise<T> {
  const hurries: (() => void)[] = [];
  const onSocket = (message: unknown): void => {
    const { socket } = message as { socket: Socket };
    onOpen(socket);
    hurries.push(slowDown(socket));
  };
  subscribe('net.client.socket', onSocket);
  const connecting = work();
  unsubscribe('net.client.socket', onSocket);
  try {
    return await connecting;
  } finally {
    for (const hurry of hurries) hurry();
  }
}

/** @returns lets the rest be read as it comes */
function slowDown(socket: Socket): () => void {
  const read = socket.read.bind(socket) as (bytes?: number) => Buffer | null;
  let isTurnOver = false;
  socket.read = (bytes?: number) => {
    if (isTurnOver || bytes === 0) return read(0);
    const byte = read(1);
    if (byte === null) return null;
    isTurnOver = true;
    setImmediate(() => {
      isTurnOver = false;
      socket.emit('readable');
    });
    return byte;
  };
  return () => {
    socket.read = read;
  };
}

/** The library tells a refusal of the server in words alone. */
function handshakeFault(error: unknown): BrokerFault {
  const { message } = error as Error;
  if (/terminated by server: 403\b/.test(message)) {
    return new BrokerFault('connection', 'the broker refuses the credentials', error);
  }
  return /Expected ConnectionOpenOk; got <ConnectionClose/.test(message)
    ? new BrokerFault('connection', 'the virtual host is not there, or not for these credentials', error)
    : connectionFault(error);
}

class RabbitMqExchange implements BrokerConnection {
  readonly ended: Promise<void>;
  private isBlocked = false;
  /** Pending while the socket's buffer is full. */
  private way: Promise<void> = Promise.resolve();
  /** Ids of messages that came back; the confirmation of each follows. */
  private readonly returned = new Set<string>();
  /** Why the broker closed the channel. */
  private closedFor: unknown;

  constructor(
    private readonly model: ChannelModel,
    private readonly channel: ConfirmChannel,
    private readonly exchange: string,
  ) {
    this.ended = firstOf(channel, 'close');
    channel.on('error', (error: Error) => (this.closedFor = error));
    channel.on('return', ({ properties }) => this.returned.add(String(properties.messageId)));
    model.on('blocked', () => {
      this.isBlocked = true;
    });
    model.on('unblocked', () => {
      this.isBlocked = false;
    });
  }

  get obstacle(): string | undefined {
    return this.isBlocked ? ALARM : undefined;
  }

  async publish(message: DeliveryMessage): Promise<void> {
    await this.way;
    if (this.isBlocked) throw new BrokerFault('blocked', ALARM);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onConfirm = (error: unknown): void => {
      const isReturned = this.returned.delete(message.id);
      if (error) reject(this.faultOf(error, message));
      else if (isReturned) reject(new BrokerFault('refused', 'no queue is bound for its routing key'));
      else resolve();
    };
    try {
      if (!this.send(message, onConfirm)) this.way = firstOf(this.channel, 'drain', 'close');
    } catch (error) {
      reject(this.faultOf(error, message));
    }
    return promise;
  }

  async look() {
    try {
      await this.channel.checkExchange(this.exchange);
      return { seen: `the exchange ${this.exchange} is there`, isCertain: true };
    } catch (error) {
      if ((error as { code?: number }).code !== NOT_FOUND) throw this.faultOf(error);
      throw new BrokerFault('connection', `there is no exchange ${this.exchange}`, error);
    }
  }

  async close(): Promise<void> {
    await this.model.close();
  }

  private send(message: DeliveryMessage, onConfirm: (error: unknown) => void): boolean {
    const { id, type, hirerId, headers, body } = message;
    return this.channel.publish(
      this.exchange,
      routingKey(type, hirerId),
      Buffer.from(body),
      { messageId: id, contentType: 'application/json', headers, persistent: true, mandatory: true },
      onConfirm,
    );
  }

  /** The broker closes the channel for a message that is too large, and says how large one may be. */
  private isTooLarge({ body }: DeliveryMessage): boolean {
    const { message = '' } = (this.closedFor ?? {}) as { message?: string };
    const largest = / larger than configured max size (\d+)/.exec(message)?.[1];
    return largest !== undefined && Buffer.byteLength(body) > Number(largest);
  }

  private faultOf(error: unknown, message?: DeliveryMessage): BrokerFault {
    if (message && this.isTooLarge(message)) {
      return new BrokerFault('too_large', 'it is larger than the broker takes', error);
    }
    const { code } = (this.closedFor ?? error) as { code?: number };
    if (code === ACCESS_REFUSED) {
      return new BrokerFault('connection', `these credentials may not publish to ${this.exchange}`, error);
    }
    if (code === NOT_FOUND) {
      return new BrokerFault('connection', `there is no exchange ${this.exchange}`, error);
    }
    if ((error as Error).message === 'message nacked') {
      return new BrokerFault('refused', 'the broker could not store it', error);
    }
    return new BrokerFault('connection', 'the connection ended before the confirmation', error);
  }
}

/** Unlike `once` of Node, an event `error` says nothing here: its cause is told elsewhere. */
function firstOf(channel: ConfirmChannel, ...events: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    const onEvent = (): void => {
      for (const event of events) channel.off(event, onEvent);
      resolve();
    };
    for (const event of events) channel.on(event, onEvent);
  });
}
