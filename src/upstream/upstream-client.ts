import type { Pool } from 'undici';
import type { Cancellation } from '../http/cancellation.js';
import type { Log } from '../telemetry/log.js';
import type { Durations, Metrics } from '../telemetry/metrics.js';
import {
  UpstreamFault,
  exchange,
  openPool,
  type IncomingAnswer,
  type OutgoingRequest,
} from '../http/exchange.js';
import { openStream, type StreamingAnswer } from '../http/stream.js';
import type { RequestContext } from '../http/request-context.js';

/** Injection token of the client of the upstream's origin. */
export const UPSTREAM_CLIENT = Symbol('UPSTREAM_CLIENT');
/** Injection token of the client of the issuer's origin. */
export const ISSUER_CLIENT = Symbol('ISSUER_CLIENT');

/** Which of the other side's services a call goes to: the `target` label of the metrics. */
export type UpstreamTarget = 'issuer' | 'token' | 'graphql' | 'attachment';

/** A call, as the modules above describe it. */
export interface UpstreamCall {
  readonly target: UpstreamTarget;
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly path: string;
  /** Of the call alone: tracing headers and User-Agent are added to the very object. */
  readonly headers: Record<string, string>;
  readonly body?: string | Buffer;
  readonly bodyBytesMax: number;
  /** Overrides the client's deadline, for what is left of one that runs already. */
  readonly timeoutMs?: number | undefined;
  readonly cancellation?: Cancellation | undefined;
}

/** Most connections to each target. */
export type ConnectionsMax = Readonly<Partial<Record<UpstreamTarget, number>>>;

const STATUS_CLASSES = ['0xx', '1xx', '2xx', '3xx', '4xx', '5xx', '6xx', '7xx', '8xx', '9xx'];

/** The histogram of {@link UpstreamClient}; one for all clients. */
export type UpstreamDurations = Durations<'target' | 'outcome'>;

export function registerUpstreamMetrics(metrics: Metrics): UpstreamDurations {
  return metrics.duration(
    'bff_upstream_request_duration_seconds',
    'Time of one request to upstream or issuer, by target and outcome (status class, or kind of fault).',
    ['target', 'outcome'],
  );
}

/** Reports the connections of all clients. */
export function registerConnectionMetrics(metrics: Metrics, clients: readonly UpstreamClient[]): void {
  const usage = () => clients.flatMap((client) => client.usage());
  metrics.gauge(
    'bff_upstream_connections',
    'Open connections to upstream and issuer, by target.',
    ['target'],
    (gauge) => {
      for (const { target, connections } of usage()) gauge.set({ target }, connections);
    },
  );
  const help = 'Calls that wait for a connection, by target.';
  metrics.gauge('bff_upstream_waiting_calls', help, ['target'], (gauge) => {
    for (const { target, waiting } of usage()) gauge.set({ target }, waiting);
  });
}

/**
 * The HTTP client of one origin. It holds no credential, follows no redirect, and bounds the time and the size of
 * every exchange. Each target has connections of its own, so that calls which hang at one cannot use up those of
 * another. Each call is measured and logged with the request it was made for.
 */
export class UpstreamClient {
  private readonly pools: ReadonlyMap<string, Pool>;

  /** @param connectionsMax names the targets that the client calls */
  constructor(
    origin: URL,
    connectionsMax: ConnectionsMax,
    private readonly userAgent: string,
    private readonly timeoutMs: number,
    private readonly durations: UpstreamDurations,
    private readonly log: Log,
  ) {
    const sizes = Object.entries(connectionsMax);
    this.pools = new Map(sizes.map(([target, size]) => [target, openPool(origin, size)]));
  }

  /** Of each target, the connections that are open and the calls that wait for one. */
  usage(): readonly { readonly target: string; readonly connections: number; readonly waiting: number }[] {
    return [...this.pools].map(([target, { stats }]) => ({
      target,
      connections: stats.connected,
      waiting: stats.queued + stats.pending,
    }));
  }

  /** @throws UpstreamFault when no whole answer came in time */
  send(call: UpstreamCall, context: RequestContext): Promise<IncomingAnswer> {
    return this.observe(call, context, exchange);
  }

  /**
   * Like `send`, but the answer's body is a stream; the deadline covers its head.
   * @throws UpstreamFault when no answer began in time
   */
  open(call: UpstreamCall, context: RequestContext): Promise<StreamingAnswer> {
    return this.observe(call, context, openStream);
  }

  private async observe<A extends { readonly status: number }>(
    call: UpstreamCall,
    context: RequestContext,
    perform: (pool: Pool, request: OutgoingRequest) => Promise<A>,
  ): Promise<A> {
    const { target, method, path, headers, body, bodyBytesMax, timeoutMs = this.timeoutMs } = call;
    const span = context.startCall(method, target);
    const upstreamRequestId = context.nextCall(headers, span);
    headers['user-agent'] = this.userAgent;
    const startedAt = performance.now();
    context.beginWait(startedAt);
    let outcome = 'aborted';
    try {
      const { cancellation } = call;
      const request = { method, path, headers, body, timeoutMs, bodyBytesMax, cancellation };
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
      this.durations.observe({ target, outcome }, ms / 1000);
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
