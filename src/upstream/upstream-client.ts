import type { Connecting, IncomingAnswer } from '../http/outgoing/exchange.js';
import { HttpClient } from '../http/outgoing/http-client.js';
import type { RequestContext } from '../http/request-context.js';
import type { Log } from '../telemetry/log.js';
import type { Span } from '../telemetry/tracing.js';
import type { KeptSecrets } from './kept-secrets.js';
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

/**
 * The client of upstream or issuer. The request waits for each call, which is logged with it and has an id of its own
 * (interface, Tracing requests).
 */
export class UpstreamClient extends HttpClient<UpstreamTarget> {
  /**
   * @param connectionsMax names the targets that the client calls
   * @param secrets an answer that holds one of them is forbidden
   */
  constructor(
    origin: URL,
    connectionsMax: ConnectionsMax,
    userAgent: string,
    private readonly metrics: UpstreamMetrics,
    private readonly log: Log,
    connecting?: Connecting,
    secrets?: KeptSecrets,
  ) {
    const holdsSecret = ({ body, headers }: IncomingAnswer): boolean =>
      secrets!.areIn(body) || secrets!.areInHeader(String(headers['content-language'] ?? ''));
    super(origin, connectionsMax, userAgent, connecting, secrets && holdsSecret);
    metrics.report(() => this.usage());
  }

  protected override begin(
    target: UpstreamTarget,
    headers: Record<string, string>,
    context: RequestContext,
    span: Span | undefined,
    at: number,
  ): string {
    context.beginWait(at);
    return context.nextCall(headers, span, target !== 'issuer');
  }

  protected override end(
    target: UpstreamTarget,
    outcome: string,
    startedAt: number,
    context: RequestContext,
    upstreamRequestId: string,
    status: number | undefined,
  ): void {
    const endedAt = performance.now();
    context.endWait(endedAt);
    const ms = endedAt - startedAt;
    this.metrics.observe(target, outcome, ms / 1000, status);
    const level = outcome === '2xx' ? 'debug' : 'warn';
    if (!this.log.isLevelEnabled(level)) return;
    const { requestId, sessionId } = context;
    this.log[level](
      { requestId, sessionId, upstreamRequestId, target, outcome, ms: Math.round(ms) },
      'upstream call',
    );
  }
}
