import type { Histogram } from 'prom-client';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG } from '../../config/load-config.js';
import { Metrics } from '../../telemetry/metrics.js';
import type { RequestContext } from '../request-context.js';
import type { OutgoingRequest } from './exchange.js';
import { HttpClient, type ClientSettings, type Connecting } from './http-client.js';

/** By its name in `/readyz`. */
type HttpDependency = 'end-user-keys' | 'membership-service' | 'event-sink';

/** Opens the clients of servers besides upstream and issuer. A call carries id and trace of its request. */
@Injectable()
export class DependencyClients implements OnApplicationShutdown {
  private readonly opened = new Set<HttpClient>();
  private readonly durations: Histogram<'dependency' | 'outcome'>;

  constructor(
    metrics: Metrics,
    @Inject(CONFIG) private readonly settings: ClientSettings,
  ) {
    this.durations = metrics.duration(
      'bff_dependency_request_duration_seconds',
      'One request to JWK set, membership service or sink: the class of its status, or the kind of fault. To a broker: confirmed, refused, blocked, too_large, timeout or connection.',
      ['dependency', 'outcome'],
    );
  }

  open(dependency: HttpDependency, origin: URL, connectionsMax: number, connecting?: Connecting): HttpClient {
    const client = new HttpClient(dependency, origin, this.settings, {
      party: 'dependency',
      connectionsMax,
      connecting,
      onEnd: ({ outcome, elapsedMs }) => this.durations.observe({ dependency, outcome }, elapsedMs / 1000),
    });
    this.opened.add(client);
    return client;
  }

  async close(client: HttpClient): Promise<void> {
    this.opened.delete(client);
    await client.close();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.opened].map((client) => client.close()));
  }

  /** Measures a call that no client of these made. @param startedAt of `performance.now()` */
  record(dependency: HttpDependency, outcome: string, startedAt: number): void {
    this.durations.observe({ dependency, outcome }, (performance.now() - startedAt) / 1000);
  }
}

export class StatusFault extends Error {
  constructor(readonly status: number) {
    super(`answered with status ${status}`);
  }
}

/**
 * The parsed JSON of a dependency's 200.
 * @throws ExchangeFault; StatusFault for another status, a redirect too; Error for what is no JSON, without its text
 */
export async function requestJson(
  client: HttpClient,
  request: OutgoingRequest,
  context: RequestContext,
): Promise<unknown> {
  request.headers['accept'] = 'application/json';
  const { status, body } = await client.send(request, context);
  if (status !== 200) throw new StatusFault(status);
  try {
    return JSON.parse(new TextDecoder().decode(body)); // without a byte order mark
  } catch {
    throw new Error('answered with a body that is not JSON');
  }
}
