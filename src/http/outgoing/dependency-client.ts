import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/load-config.js';
import type { Durations } from '../../telemetry/counted-metrics.js';
import { Metrics } from '../../telemetry/metrics.js';
import type { Span } from '../../telemetry/tracing.js';
import type { RequestContext } from '../request-context.js';
import type { Connecting } from './exchange.js';
import { HttpClient } from './http-client.js';
import { proxyOf, type ProxySettings } from './outbound-proxy.js';

/** A server besides upstream and issuer that the operator configured, by its name in `/readyz`. */
export type HttpDependency = 'end-user-keys' | 'membership-service' | 'event-sink';

type CallDurations = Durations<'dependency' | 'outcome'>;

/** Opens the clients of dependencies, whose calls are measured together. */
@Injectable()
export class DependencyClients {
  private readonly durations: CallDurations;

  constructor(
    metrics: Metrics,
    @Inject(CONFIG) private readonly config: Pick<Config, 'USER_AGENT'> & ProxySettings,
  ) {
    this.durations = metrics.duration(
      'bff_dependency_request_duration_seconds',
      'Time of one request to JWK set, membership service or event sink, by dependency and outcome (status class, or kind of fault).',
      ['dependency', 'outcome'],
    );
  }

  /** @param origin of which the client knows no more than scheme, host and port */
  open(
    dependency: HttpDependency,
    origin: URL,
    connectionsMax: number,
    connecting?: Connecting,
  ): DependencyClient {
    const { durations, config } = this;
    const through = { ...connecting, proxy: proxyOf(origin, config) };
    return new DependencyClient(dependency, origin, connectionsMax, config.USER_AGENT, durations, through);
  }

  /**
   * Measures a call that no client of these made.
   * @param startedAt of `performance.now()`
   */
  record(dependency: HttpDependency, outcome: string, startedAt: number): void {
    this.durations.observe({ dependency, outcome }, (performance.now() - startedAt) / 1000);
  }
}

/**
 * The client of one dependency. A call carries the id and the trace of the request it is made for, and counts as the
 * service's own time.
 */
export class DependencyClient extends HttpClient<HttpDependency> {
  constructor(
    readonly dependency: HttpDependency,
    origin: URL,
    connectionsMax: number,
    userAgent: string,
    private readonly durations: CallDurations,
    connecting?: Connecting,
  ) {
    super(origin, { [dependency]: connectionsMax }, userAgent, connecting);
  }

  protected override begin(
    _dependency: HttpDependency,
    headers: Record<string, string>,
    context: RequestContext,
    span: Span | undefined,
  ): string {
    headers['x-request-id'] = context.requestId;
    headers['traceparent'] = context.traceparentOf(span);
    return context.requestId;
  }

  protected override end(dependency: HttpDependency, outcome: string, startedAt: number): void {
    this.durations.observe({ dependency, outcome }, (performance.now() - startedAt) / 1000);
  }
}
