import type { Pool } from 'undici';
import type { Log } from '../telemetry/log.js';
import {
  UpstreamFault,
  exchange,
  openPool,
  type Exactly,
  type IncomingAnswer,
  type OutgoingRequest,
} from '../http/outgoing/exchange.js';
import { openStream, type StreamingAnswer } from '../http/outgoing/stream.js';
import type { RequestContext } from '../http/request-context.js';
import type { UpstreamMetrics } from './upstream-metrics.js';

/** Injection token of the client of the upstream's origin. */
export const UPSTREAM_CLIENT = Symbol('UPSTREAM_CLIENT');
/** Injection token of the client of the issuer's origin. */
export const ISSUER_CLIENT = Symbol('ISSUER_CLIENT');

/** Most downloads under way at one time, of all users: each holds a connection for as long as its caller reads. */
export const DOWNLOADS_MAX = 128;

/** The service of the other side that a request goes to: the `target` label of the metrics. */
export type UpstreamTarget = 'issuer' | 'token' | 'graphql' | 'attachment';

/** Most connections to each target. */
export type ConnectionsMax = Readonly<Partial<Record<UpstreamTarget, number>>>;

const STATUS_CLASSES = ['0xx', '1xx', '2xx', '3xx', '4xx', '5xx', '6xx', '7xx', '8xx', '9xx'];

/**
 * The HTTP client of one origin. It holds no credential, follows no redirect, and bounds the time and the size of
 * every exchange. Each target has its own connections, so that calls which hang at one cannot use up those of another.
 * Each call is measured, and logged with the request it was made for.
 */
export class UpstreamClient {
  private readonly pools: ReadonlyMap<string, Pool>;

  /** @param connectionsMax names the targets that the client calls */
  constructor(
    origin: URL,
    connectionsMax: ConnectionsMax,
    private readonly userAgent: string,
    private readonly metrics: UpstreamMetrics,
    private readonly log: Log,
  ) {
    const sizes = Object.entries(connectionsMax);
    this.pools = new Map(sizes.map(([target, size]) => [target, openPool(origin, size)]));
    metrics.report(() =>
      [...this.pools].map(([target, { stats }]) => ({
        target,
        connections: stats.connected,
        waiting: stats.queued + stats.pending,
      })),
    );
  }

  /** @throws UpstreamFault when no whole answer came in time */
  send<R extends OutgoingRequest>(
    target: UpstreamTarget,
    request: Exactly<OutgoingRequest, R>,
    context: RequestContext,
  ): Promise<IncomingAnswer> {
    return this.observe(target, request, context, exchange);
  }

  /**
   * Like `send`, but the answer's body is a stream; the deadline covers its head.
   * @throws UpstreamFault when no answer began in time
   */
  open<R extends OutgoingRequest>(
    target: UpstreamTarget,
    request: Exactly<OutgoingRequest, R>,
    context: RequestContext,
  ): Promise<StreamingAnswer> {
    return this.observe(target, request, context, openStream);
  }

  private async observe<A extends { readonly status: number }>(
    target: UpstreamTarget,
    request: OutgoingRequest,
    context: RequestContext,
    perform: (pool: Pool, request: OutgoingRequest) => Promise<A>,
  ): Promise<A> {
    const span = context.startCall(request.method, target);
    const upstreamRequestId = context.nextCall(request.headers, span);
    request.headers['user-agent'] = this.userAgent;
    const startedAt = performance.now();
    context.beginWait(startedAt);
    let outcome = 'aborted';
    try {
      const answer = await perform(this.pools.get(target)!, request);
      outcome = STATUS_CLASSES[Math.floor(answer.status / 100)]!;
      return answer;
    } catch (error) {
      if (error instanceof UpstreamFault) outcome = error.kind;
      throw error;
    } finally {
      const endedAt = performance.now();
      context.endWait(endedAt);
      const ms = endedAt - startedAt;
      this.metrics.observe(target, outcome, ms / 1000);
      span?.end({ 'upstream.target': target, 'upstream.outcome': outcome }, outcome !== '2xx');
      this.logCall(target, outcome, ms, context, upstreamRequestId);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.pools.values()].map((pool) => pool.destroy()));
  }

  private logCall(
    target: string,
    outcome: string,
    ms: number,
    context: RequestContext,
    upstreamRequestId: string,
  ): void {
    const level = outcome === '2xx' ? 'debug' : 'warn';
    if (!this.log.isLevelEnabled(level)) return;
    const { requestId, sessionId } = context;
    this.log[level](
      { requestId, sessionId, upstreamRequestId, target, outcome, ms: Math.round(ms) },
      'upstream call',
    );
  }
}
