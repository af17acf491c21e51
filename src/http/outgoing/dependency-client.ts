import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/load-config.js';
import type { Durations } from '../../telemetry/counted-metrics.js';
import { Metrics } from '../../telemetry/metrics.js';
import type { Span } from '../../telemetry/tracing.js';
import type { RequestContext } from '../request-context.js';
import type { Connecting, OutgoingRequest } from './exchange.js';
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

/** A dependency answered with another status than 200. */
export class StatusFault extends Error {
  constructor(readonly status: number) {
    super(`answered with status ${status}`);
  }
}

/**
 * The answer of a dependency with status 200, as parsed JSON.
 * @throws ExchangeFault for a late or oversized answer; StatusFault for any other status, a redirect included; Error for one that is
 *   not JSON. Its message holds nothing of the answer
 */
export async function requestJson(
  client: DependencyClient,
  request: OutgoingRequest,
  context: RequestContext,
): Promise<unknown> {
  request.headers['accept'] = 'application/json';
  const { status, body } = await client.send(client.dependency, request, context);
  if (status !== 200) throw new StatusFault(status);
  return parseJson(body);
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new Error('answered with a body that is not JSON');
  }
}
