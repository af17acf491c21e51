import type { Pool } from 'undici';
import type { Party, RequestContext } from '../request-context.js';
import {
  exchange,
  openPool,
  type Connecting,
  type ExchangeEnd,
  type IncomingAnswer,
  type IsForbidden,
  type OutgoingRequest,
} from './exchange.js';
import { openStream, type StreamingAnswer } from './stream.js';

const STATUS_CLASSES = ['0xx', '1xx', '2xx', '3xx', '4xx', '5xx', '6xx', '7xx', '8xx', '9xx'];
/** A caller that leaves sooner says nothing about the connection. */
const PATIENCE_MS = 2_000;

/** A call that has ended. */
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

/** How a client calls its target. */
interface ClientOptions {
  readonly party: Party;
  readonly userAgent: string;
  readonly connectionsMax: number;
  readonly connecting?: Connecting;
  /** Judges the answers of `send`. */
  readonly isForbidden?: IsForbidden | undefined;
  /** Called with each call that has ended, with a stream's when its head has come; must not throw. */
  readonly onEnd: (call: EndedCall) => void;
}

/**
 * The HTTP client of one target: every call that leaves the service goes through one. It holds no credential, follows no
 * redirect, and bounds the time and the size of every exchange. A connection that dies without a word, as when a NAT
 * forgets it, ends nothing: each call on it waits for its deadline. So after a call that waited in vain the next calls open
 * new connections, while those under way end on the old ones.
 */
export class HttpClient {
  private pool: Pool;

  /**
   * @param target its name in metrics, log and traces
   * @param origin of which the client knows no more than scheme, host and port
   */
  constructor(
    readonly target: string,
    private readonly origin: URL,
    private readonly options: ClientOptions,
  ) {
    this.pool = this.openPool();
  }

  /** @throws ExchangeFault when no whole answer came in time */
  send(request: OutgoingRequest, context: RequestContext): Promise<IncomingAnswer> {
    return exchange(this.pool, request, this.begin(request, context), this.options.isForbidden);
  }

  /**
   * Like `send`, but the answer's body is a stream; the deadline covers its head.
   * @throws ExchangeFault when no answer began in time
   */
  open(request: OutgoingRequest, context: RequestContext): Promise<StreamingAnswer> {
    return openStream(this.pool, request, this.begin(request, context));
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }

  private begin(request: OutgoingRequest, context: RequestContext): ExchangeEnd {
    const { target, pool } = this;
    const { party, userAgent, onEnd } = this.options;
    const span = context.startCall(request.method, target);
    const startedAt = performance.now();
    const id = context.identify(request.headers, party, span);
    request.headers['user-agent'] = userAgent;
    request.headers['accept-encoding'] = 'identity';
    return (ended) => {
      const elapsedMs = performance.now() - startedAt;
      const isAnswered = typeof ended === 'number';
      const outcome = isAnswered ? STATUS_CLASSES[Math.floor(ended / 100)]! : ended;
      if (ended === 'timeout' || (ended === 'aborted' && elapsedMs >= PATIENCE_MS)) this.replace(pool);
      span?.end({ 'upstream.target': target, 'upstream.outcome': outcome }, outcome !== '2xx');
      onEnd({ outcome, status: isAnswered ? ended : undefined, elapsedMs, id, context });
    };
  }

  private replace(pool: Pool): void {
    if (pool !== this.pool || pool.closed) return;
    this.pool = this.openPool();
    void pool.close();
  }

  private openPool(): Pool {
    return openPool(this.origin, this.options.connectionsMax, this.options.connecting);
  }
}
