import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { Pool } from 'undici';
import type { Config } from '../../config/load-config.js';
import { Cancellation, type RequestContext } from '../request-context.js';
import {
  Exchange,
  ExchangeFault,
  type ExchangeFaultKind,
  type IncomingAnswer,
  type OutgoingRequest,
} from './exchange.js';
import { proxyOf, tunnelThrough, type ProxySettings } from './outbound-proxy.js';
import { passHeaders, type Party } from './passed-headers.js';

const CONNECT_TIMEOUT_MS = 2_000;
/** Of a stream: its head has the deadline of its request, and its body may stay silent for so long. */
const STREAM_TIMEOUTS = { headersTimeout: 0, bodyTimeout: 30_000 };
/** A caller that leaves sooner says nothing about the connection. */
const PATIENCE_MS = 2_000;

export interface EndedCall {
  /** Status class, or kind of fault. */
  readonly outcome: string;
  /** Of the answer, if there is one. */
  readonly status: number | undefined;
  readonly elapsedMs: number;
  /** Its `X-Request-Id`. */
  readonly id: string;
  readonly context: RequestContext;
}

export class StatusFault extends Error {
  constructor(readonly status: number) {
    super(`answered with status ${status}`);
  }
}

/** An answer whose body is still arriving. Its receiver has to read the body to the end or destroy it. */
export interface StreamingAnswer extends Omit<IncomingAnswer, 'body'> {
  readonly body: Readable;
}

/** Settings of every client. */
export type ClientSettings = Pick<Config, 'USER_AGENT'> & ProxySettings;

interface ClientOptions {
  /** `dependency` by default. */
  readonly party?: Party;
  readonly connectionsMax: number;
  /** Finds the addresses of a host, in place of the system's resolver; not asked where there is a proxy. */
  readonly lookup?: LookupFunction;
  /** True if an answer of `send` must not be read. */
  readonly isForbidden?: ((answer: IncomingAnswer) => boolean) | undefined;
  /** Called with each call that has ended, with a stream's when its head has come; must not throw. */
  readonly onEnd?: (call: EndedCall) => void;
}

/**
 * The HTTP client of one target, for every call that leaves the service. It holds no credential, follows no redirect,
 * bounds time and size of every exchange, and verifies TLS of at least 1.2 (interface 4.1). A connection that dies
 * without a word, as when a NAT forgets it, ends nothing: after a call that waited in vain the next calls open new
 * connections, while those under way end on the old ones.
 */
export class HttpClient {
  private pool: Pool;

  /** @param target its name in metrics, log and traces; of a dependency that in `/readyz` */
  constructor(
    readonly target: string,
    private readonly origin: URL,
    private readonly settings: ClientSettings,
    private readonly options: ClientOptions,
  ) {
    this.pool = this.openPool();
  }

  /** @throws ExchangeFault when no whole answer came in time */
  send(request: OutgoingRequest, context: RequestContext): Promise<IncomingAnswer> {
    const onEnd = this.begin(request, context);
    return new Promise((resolve, reject) => {
      new Exchange(request, resolve, reject, onEnd, this.options.isForbidden).start(this.pool);
    });
  }

  /** Like `send`, but the body is a stream, and the deadline covers its head alone. @throws ExchangeFault */
  async open(request: OutgoingRequest, context: RequestContext): Promise<StreamingAnswer> {
    const onEnd = this.begin(request, context);
    const { method, path, headers, body, bounds } = request;
    const { timeoutMs, cancellation } = bounds;
    const signal = new Cancellation();
    const timer = setTimeout(() => signal.cancel(), timeoutMs); // undici's own time begins after connecting
    cancellation?.on('abort', () => signal.cancel());
    const cut = new Promise<never>((_, reject) => void signal.on('abort', reject));
    try {
      if (cancellation?.cancelled) throw new Error('cancelled before it was sent');
      const asked = this.pool.request({ method, path, headers, body, signal, ...STREAM_TIMEOUTS });
      const answer = await Promise.race([asked, cut]); // undici ends a request only once it has begun
      onEnd(answer.statusCode);
      return { status: answer.statusCode, headers: answer.headers, body: answer.body };
    } catch (error) {
      const kind = signal.cancelled ? 'timeout' : 'connection';
      const ended = cancellation?.cancelled ? 'aborted' : kind;
      onEnd(ended);
      throw new ExchangeFault(ended, 0, error);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * The parsed JSON of a 200.
   * @throws ExchangeFault; StatusFault for another status, a redirect too; Error for what is no JSON, without its text
   */
  async fetchJson(request: OutgoingRequest, context: RequestContext): Promise<unknown> {
    request.headers['accept'] = 'application/json';
    const { status, body } = await this.send(request, context);
    if (status !== 200) throw new StatusFault(status);
    try {
      return JSON.parse(new TextDecoder().decode(body)); // without a byte order mark
    } catch {
      throw new Error('answered with a body that is not JSON');
    }
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }

  private begin(request: OutgoingRequest, context: RequestContext) {
    const { target, pool } = this;
    const { party = 'dependency', onEnd } = this.options;
    const span = context.rootSpan?.child(`${request.method} ${target}`);
    const startedAt = performance.now();
    const id = passHeaders(context, request.headers, party, span);
    request.headers['user-agent'] = this.settings.USER_AGENT;
    request.headers['accept-encoding'] = 'identity';
    return (ended: number | ExchangeFaultKind): void => {
      const elapsedMs = performance.now() - startedAt;
      const isAnswered = typeof ended === 'number';
      const outcome = isAnswered ? `${Math.floor(ended / 100)}xx` : ended;
      if (ended === 'timeout' || (ended === 'aborted' && elapsedMs >= PATIENCE_MS)) this.replace(pool);
      span?.end({ 'upstream.target': target, 'upstream.outcome': outcome }, outcome !== '2xx');
      onEnd?.({ outcome, status: isAnswered ? ended : undefined, elapsedMs, id, context });
    };
  }

  private replace(pool: Pool): void {
    if (pool !== this.pool || pool.destroyed) return;
    this.pool = this.openPool();
    void pool.close();
  }

  private openPool(): Pool {
    const { connectionsMax: connections, lookup } = this.options;
    const proxy = proxyOf(this.origin, this.settings);
    const tls = { timeout: CONNECT_TIMEOUT_MS, minVersion: 'TLSv1.2' as const };
    return new Pool(this.origin.origin, {
      connections,
      connect: proxy
        ? tunnelThrough(proxy, { ...tls, allowH2: true })
        : { ...tls, ...(lookup && { lookup }) },
      headersTimeout: 0, // the deadline of each exchange covers headers and body
      bodyTimeout: 0,
      allowH2: true,
    });
  }
}
