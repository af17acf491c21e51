import type { Pool } from 'undici';
import type { Span } from '../../telemetry/tracing.js';
import type { RequestContext } from '../request-context.js';
import {
  exchange,
  type Connecting,
  type ExchangeEnd,
  type IncomingAnswer,
  type IsForbidden,
  type OutgoingRequest,
} from './exchange.js';
import { OriginPool } from './origin-pool.js';
import { openStream, type StreamingAnswer } from './stream.js';

const STATUS_CLASSES = ['0xx', '1xx', '2xx', '3xx', '4xx', '5xx', '6xx', '7xx', '8xx', '9xx'];

/**
 * The HTTP client of one origin: every call that leaves the service goes through one. It holds no credential, follows no
 * redirect, and bounds the time and the size of every exchange. Each target has its own connections, so that calls which
 * hang at one cannot use up those of another. Each call is measured, and traced with the request it is made for.
 */
export abstract class HttpClient<Target extends string> {
  private readonly pools: ReadonlyMap<string, OriginPool>;

  /**
   * @param connectionsMax names the targets that the client calls
   * @param isForbidden judges the answers of {@link send}
   */
  constructor(
    origin: URL,
    connectionsMax: Readonly<Partial<Record<Target, number>>>,
    private readonly userAgent: string,
    connecting?: Connecting,
    private readonly isForbidden?: IsForbidden,
  ) {
    const sizes = Object.entries<number | undefined>(connectionsMax);
    this.pools = new Map(sizes.map(([target, size]) => [target, new OriginPool(origin, size!, connecting)]));
  }

  /** @throws ExchangeFault when no whole answer came in time */
  send(target: Target, request: OutgoingRequest, context: RequestContext): Promise<IncomingAnswer> {
    return this.observe(target, request, context, this.exchange);
  }

  /**
   * Like `send`, but the answer's body is a stream; the deadline covers its head.
   * @throws ExchangeFault when no answer began in time
   */
  open(target: Target, request: OutgoingRequest, context: RequestContext): Promise<StreamingAnswer> {
    return this.observe(target, request, context, openStream);
  }

  /** Open connections to each target, and calls that wait for one. */
  usage(): { target: string; connections: number; waiting: number }[] {
    return [...this.pools].map(([target, { stats }]) => ({
      target,
      connections: stats.connected,
      waiting: stats.queued + stats.pending,
    }));
  }

  async close(): Promise<void> {
    await Promise.all([...this.pools.values()].map((pool) => pool.destroy()));
  }

  /** Adds the tracing headers of a call that begins, and returns its id. Times are those of `performance.now()`. */
  protected abstract begin(
    target: Target,
    headers: Record<string, string>,
    context: RequestContext,
    span: Span | undefined,
    at: number,
  ): string;

  /**
   * Measures a call that has ended.
   * @param outcome status class, or kind of fault
   * @param status of the answer, if there is one
   */
  protected abstract end(
    target: Target,
    outcome: string,
    startedAt: number,
    context: RequestContext,
    callId: string,
    status: number | undefined,
  ): void;

  private readonly exchange = (
    pool: Pool,
    request: OutgoingRequest,
    onEnd: ExchangeEnd,
  ): Promise<IncomingAnswer> => exchange(pool, request, onEnd, this.isForbidden);

  private observe<A>(
    target: Target,
    request: OutgoingRequest,
    context: RequestContext,
    perform: (pool: Pool, request: OutgoingRequest, onEnd: ExchangeEnd) => Promise<A>,
  ): Promise<A> {
    const span = context.startCall(request.method, target);
    const startedAt = performance.now();
    const callId = this.begin(target, request.headers, context, span, startedAt);
    request.headers['user-agent'] = this.userAgent;
    request.headers['accept-encoding'] = 'identity';
    return this.pools.get(target)!.perform(request, perform, (ended) => {
      const outcome = typeof ended === 'number' ? STATUS_CLASSES[Math.floor(ended / 100)]! : ended;
      span?.end({ 'upstream.target': target, 'upstream.outcome': outcome }, outcome !== '2xx');
      const status = typeof ended === 'number' ? ended : undefined;
      this.end(target, outcome, startedAt, context, callId, status);
    });
  }
}
