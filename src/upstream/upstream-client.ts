import type { Histogram } from 'prom-client';
import type { Pool } from 'undici';
import type { Log } from '../ops/log.js';
import type { Metrics } from '../ops/metrics.js';
import {
  UpstreamFault,
  exchange,
  openPool,
  type IncomingAnswer,
  type OutgoingRequest,
} from './http-exchange.js';
import { openStream, type StreamingAnswer } from './http-stream.js';
import type { RequestContext } from './request-context.js';

/** Which of the other side's services a call goes to: the `target` label of the metrics. */
export type UpstreamTarget = 'issuer' | 'token' | 'graphql' | 'attachment';

/** A call, as the rooms above describe it. Tracing headers and User-Agent are added here. */
export interface UpstreamCall {
  readonly target: UpstreamTarget;
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly bodyBytesMax: number;
  /** Overrides the client's deadline, for what is left of one that runs already. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** The histogram of {@link UpstreamClient}; one for all clients. */
export type UpstreamDurations = Histogram<'target' | 'outcome'>;

export function registerUpstreamMetrics(metrics: Metrics): UpstreamDurations {
  return metrics.duration(
    'bff_upstream_request_duration_seconds',
    'Time of one request to upstream or issuer, by target and outcome (status class, or kind of fault).',
    ['target', 'outcome'],
  );
}

/**
 * The HTTP client of one origin. It holds no credential, follows no redirect, and bounds the time and the size of
 * every exchange. Each call is measured and logged with the request it was made for.
 */
export class UpstreamClient {
  private readonly pool: Pool;

  constructor(
    origin: URL,
    private readonly userAgent: string,
    private readonly timeoutMs: number,
    private readonly durations: UpstreamDurations,
    private readonly log: Log,
  ) {
    this.pool = openPool(origin);
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
    const startedAt = performance.now();
    const span = context.startCall(`${call.method} ${call.target}`);
    const tracing = context.nextCall(span);
    let outcome = 'aborted';
    try {
      const exchanged = perform(this.pool, {
        ...call,
        headers: { ...call.headers, ...tracing, 'user-agent': this.userAgent },
        timeoutMs: call.timeoutMs ?? this.timeoutMs,
      });
      const answer = await context.waitFor(exchanged);
      outcome = `${Math.floor(answer.status / 100)}xx`;
      return answer;
    } catch (fault) {
      if (fault instanceof UpstreamFault) outcome = fault.kind;
      throw fault;
    } finally {
      const ms = performance.now() - startedAt;
      this.durations.observe({ target: call.target, outcome }, ms / 1000);
      span?.end({ 'upstream.target': call.target, 'upstream.outcome': outcome }, outcome !== '2xx');
      this.logCall(call.target, outcome, ms, context, tracing['x-request-id']);
    }
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }

  private logCall(
    target: string,
    outcome: string,
    ms: number,
    context: RequestContext,
    upstreamRequestId?: string,
  ): void {
    const level = outcome === '2xx' ? 'debug' : 'warn';
    const { requestId, sessionId } = context;
    this.log[level](
      { requestId, sessionId, upstreamRequestId, target, outcome, ms: Math.round(ms) },
      'upstream call',
    );
  }
}
