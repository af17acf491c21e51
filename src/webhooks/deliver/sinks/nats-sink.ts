import { connect as connectSocket, isIP, type Socket } from 'node:net';
import { JetStreamApiError, jetstream } from '@nats-io/jetstream';
import {
  AuthorizationError,
  headers as messageHeaders,
  NatsConnectionImpl,
  PermissionViolationError,
  setTransportFactory,
  TimeoutError,
  UserAuthenticationExpiredError,
  type ConnectionOptions,
  type NatsConnection,
} from '@nats-io/transport-node';
import { NodeTransport } from '@nats-io/transport-node/lib/node_transport.js';
import { hasTls, subjectPrefix } from '../../../config/values/broker-url.js';
import { socketHost } from '../../../config/values/url-forms.js';
import { BrokerFault, BrokerSink, connectionFault, routingKey } from './broker-sink.js';
import type { DeliveryMessage } from './sink.js';

const DEFAULT_PORT = 4222;
const PING_MS = 10_000;
/** Above the deadline of a delivery, which the sink keeps. */
const ACK_MS_MORE = 5_000;
/** JetStream's error for a message above the `max_msg_size` of its stream. */
const STREAM_MAX_MSG_SIZE = 10054;

interface SocketOptions extends ConnectionOptions {
  readonly openSocket: () => Socket;
}

/**
 * The transport of the client library, on a socket of ours: it reaches allowed addresses alone, and can be destroyed at
 * any time. The library's own resolves names itself, and keeps a socket on which the server is silent.
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
}

/** Delivers events to streams of NATS JetStream. */
export class NatsSink extends BrokerSink {
  private readonly prefix = subjectPrefix(this.settings.url);
  private connecting: Promise<NatsConnection> | undefined;
  private socket: Socket | undefined;

  /**
   * A repeat comes on purpose: the stream must not take it for a duplicate. Nor is an event one that another sink has
   * under a subject of its own in the same stream.
   */
  protected async publish({ id, type, hirerId, headers, body }: DeliveryMessage): Promise<void> {
    const connection = await this.connect();
    const fields = messageHeaders();
    for (const [name, value] of Object.entries(headers)) fields.set(name, value);
    const subject = `${this.prefix}.${routingKey(type, hirerId)}`;
    const msgID = headers['webhook-repeat'] === undefined ? { msgID: `${subject}/${id}` } : {};
    const options = { headers: fields, timeout: this.settings.timeoutMs + ACK_MS_MORE, ...msgID };
    try {
      await jetstream(connection).publish(subject, body, options);
    } catch (error) {
      throw connection.isClosed() ? connectionFault(error) : refused(error);
    }
  }

  async close(): Promise<void> {
    this.socket?.destroy();
  }

  connect(): Promise<NatsConnection> {
    return (this.connecting ??= this.open().catch((error: unknown) => {
      this.connecting = undefined;
      this.socket?.destroy();
      throw obstacleOf(error);
    }));
  }

  private async open(): Promise<NatsConnection> {
    setTransportFactory({ factory: () => new SocketTransport() }); // `connect` of the library names its own for all
    const connection = await NatsConnectionImpl.connect(this.options());
    void connection.closed().then(() => (this.connecting = undefined));
    return connection;
  }

  /** A user without a password is a token, as NATS has it. One server, and no other that it may name. */
  private options(): SocketOptions {
    const { url } = this.settings;
    const host = socketHost(url.hostname);
    const port = Number(url.port || DEFAULT_PORT);
    const [user, pass] = [url.username, url.password].map(decodeURIComponent) as [string, string];
    return {
      openSocket: () => (this.socket = connectSocket({ host, port, lookup: this.lookup, noDelay: true })),
      servers: `${url.hostname}:${port}`,
      resolve: false,
      ignoreClusterUpdates: true,
      reconnect: false,
      timeout: this.connectMs,
      name: 'partner-bff',
      noAsyncTraces: true,
      pingInterval: PING_MS,
      ...(pass !== '' ? { user, pass } : user !== '' && { token: user }),
      // `tls: null` would keep an offered TLS from being used; the options go to Node's own `tls.connect` as they are
      ...(hasTls(url) && {
        tls: { host, servername: isIP(host) ? '' : host, minVersion: 'TLSv1.2' } as object,
      }),
    };
  }
}

function obstacleOf(error: unknown): BrokerFault {
  const told = (reason: string): BrokerFault => new BrokerFault('connection', reason, error);
  const isRefusal = error instanceof AuthorizationError || error instanceof UserAuthenticationExpiredError;
  if (isRefusal) return told('the broker refuses the credentials');
  if (error instanceof TimeoutError) return told('no NATS server answers there in time');
  const { message } = error as Error;
  const isForeign = error instanceof SyntaxError || message === 'unexpected response from server';
  return isForeign ? told('what answers there is no NATS server') : connectionFault(error);
}

function refused(error: unknown): BrokerFault {
  const code = error instanceof JetStreamApiError ? error.code : undefined;
  const { cause, message } = error as Error;
  if (code === STREAM_MAX_MSG_SIZE || message.includes('max_payload')) {
    return new BrokerFault('too_large', 'it is larger than the broker takes', error);
  }
  const isDenied = error instanceof PermissionViolationError || cause instanceof PermissionViolationError;
  const reason = isDenied
    ? 'these credentials may not publish to its subject'
    : `no stream takes it${code === undefined ? '' : ` (JetStream error ${code})`}`;
  return new BrokerFault('refused', reason, error);
}
