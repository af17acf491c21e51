import { connect as connectSocket, isIP, type Socket } from 'node:net';
import { JetStreamApiError, jetstream, jetstreamManager, type JetStreamClient } from '@nats-io/jetstream';
import {
  AuthorizationError,
  headers as messageHeaders,
  NatsConnectionImpl,
  PermissionViolationError,
  RequestError,
  setTransportFactory,
  UserAuthenticationExpiredError,
  type ConnectionOptions,
  type NatsConnection,
} from '@nats-io/transport-node';
import { NodeTransport } from '@nats-io/transport-node/lib/node_transport.js';
import { hasTls, subjectPrefix } from '../../../config/values/broker-url.js';
import { socketHost } from '../../../config/values/url-forms.js';
import { BrokerFault, connectionFault, type BrokerConnection, type BrokerPlace } from './broker.js';
import type { DeliveryMessage } from './sink.js';
import { routingKey } from './routing-key.js';

const DEFAULT_PORT = 4222;
const PING_MS = 10_000;
const PINGS_UNANSWERED_MAX = 2;
/** Above every deadline of a delivery, which the sink keeps. */
const ACK_MS = 120_000;
const LOOK_MS = 2_000;
/** The error code of JetStream for a message above the `max_msg_size` of its stream. */
const STREAM_MAX_MSG_SIZE = 10054;

/** Options of a connection whose socket is made by its user. */
interface SocketOptions extends ConnectionOptions {
  readonly openSocket: () => Socket;
}

/**
 * The transport of the client library, on a socket of ours: it reaches allowed addresses alone, and can be destroyed at any
 * time. The library's own keeps one open on which the server is silent, and resolves names itself.
 */
class SocketTransport extends NodeTransport {
  override async dial(): Promise<Socket> {
    const socket = (this.options as SocketOptions).openSocket();
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve).once('error', reject);
      socket.once('close', () => reject(new Error('the socket was closed')));
    });
    return socket.removeAllListeners();
  }

  /**
   * What the server sends. The library gives up reading what is no NATS, prints it with `console.log` and leaves the
   * connection open: it is ended here, and the library waits for ever with what it would print.
   */
  override async *iterate(): AsyncGenerator<Uint8Array, void> {
    let isOver = false;
    try {
      yield* super.iterate();
      isOver = true;
    } finally {
      if (!isOver) {
        this.socket.destroy();
        await new Promise(() => undefined);
      }
    }
  }
}

/** Connects to NATS, whose streams keep events by JetStream. */
export async function openNats(place: BrokerPlace): Promise<BrokerConnection> {
  setTransportFactory({ factory: () => new SocketTransport() }); // `connect` of the library names its own for all
  try {
    const connection = await NatsConnectionImpl.connect(optionsOf(place));
    return new NatsStreams(connection, subjectPrefix(place.url));
  } catch (error) {
    const isRefused = error instanceof AuthorizationError || error instanceof UserAuthenticationExpiredError;
    throw isRefused
      ? new BrokerFault('connection', 'the broker refuses the credentials', error)
      : connectionFault(error);
  }
}

/** A user without a password is a token, as NATS has it. One server, no other that it may name, no reconnecting. */
function optionsOf({ url, lookup, adopt }: BrokerPlace): SocketOptions {
  const host = socketHost(url.hostname);
  const port = Number(url.port || DEFAULT_PORT);
  const [user, pass] = [url.username, url.password].map(decodeURIComponent) as [string, string];
  const openSocket = (): Socket => {
    const socket = connectSocket({ host, port, lookup, noDelay: true });
    adopt(socket);
    return socket;
  };
  return {
    openSocket,
    servers: `${url.hostname}:${port}`,
    resolve: false,
    ignoreClusterUpdates: true,
    reconnect: false,
    name: 'partner-bff',
    noAsyncTraces: true,
    pingInterval: PING_MS,
    maxPingOut: PINGS_UNANSWERED_MAX,
    ...(pass !== '' ? { user, pass } : user !== '' && { token: user }),
    // `tls: null` would keep an offered TLS from being used; the options go to Node's own `tls.connect` as they are
    ...(hasTls(url) && {
      tls: { host, servername: isIP(host) ? '' : host, minVersion: 'TLSv1.2' } as object,
    }),
  };
}

class NatsStreams implements BrokerConnection {
  readonly ended: Promise<unknown>;
  private readonly streams: JetStreamClient;

  constructor(
    private readonly connection: NatsConnection,
    private readonly prefix: string,
  ) {
    this.ended = connection.closed();
    this.streams = jetstream(connection);
  }

  /**
   * A repeat comes on purpose: the stream must not take it for one of its own duplicates. Nor is an event a duplicate that
   * another sink has under a subject of its own in the same stream.
   */
  async publish({ id, type, hirerId, headers, body }: DeliveryMessage): Promise<void> {
    const fields = messageHeaders();
    for (const [name, value] of Object.entries(headers)) fields.set(name, value);
    const subject = `${this.prefix}.${routingKey(type, hirerId)}`;
    const isFirst = headers['webhook-repeat'] === undefined;
    const options = { headers: fields, timeout: ACK_MS, ...(isFirst && { msgID: `${subject}/${id}` }) };
    try {
      await this.streams.publish(subject, body, options);
    } catch (error) {
      if (isTooLarge(error)) {
        throw new BrokerFault('too_large', 'it is larger than the broker takes', error);
      }
      throw this.connection.isClosed() ? lost(error) : refused(error);
    }
  }

  async look() {
    const subject = `${this.prefix}.>`;
    const manager = await jetstreamManager(this.connection, { checkAPI: false, timeout: LOOK_MS });
    let names: string[];
    try {
      names = await manager.streams.names(subject).next();
    } catch (error) {
      if (isWithoutStream(error)) throw refused(error);
      return { seen: `whether a stream takes ${subject} cannot be asked for`, isCertain: false };
    }
    if (names.length === 0) throw new BrokerFault('refused', `no stream takes ${subject}`);
    return { seen: `the stream ${names.join(', ')} takes ${subject}`, isCertain: true };
  }

  async close(): Promise<void> {
    await this.connection.close();
  }
}

function lost(cause: unknown): BrokerFault {
  return new BrokerFault('connection', 'the connection ended before the confirmation', cause);
}

function refused(cause: unknown): BrokerFault {
  return new BrokerFault('refused', refusalOf(cause), cause);
}

function refusalOf(error: unknown): string {
  const cause = (error as Error).cause ?? error;
  if (isWithoutStream(error)) return 'no stream takes its subject';
  if (error instanceof JetStreamApiError) return `the stream refuses it (JetStream error ${error.code})`;
  if (cause instanceof PermissionViolationError) return 'these credentials may not publish to its subject';
  return 'what answers is no stream';
}

/** For the server, as the library finds before it sends, or for the stream. */
function isTooLarge(error: unknown): boolean {
  return error instanceof JetStreamApiError
    ? error.code === STREAM_MAX_MSG_SIZE
    : (error as Error).message.includes('max_payload');
}

/** The library does not export the class of this error. */
function isWithoutStream(error: unknown): boolean {
  if (error instanceof RequestError) return error.isNoResponders();
  return (error as Error).name === 'JetStreamNotEnabled';
}
