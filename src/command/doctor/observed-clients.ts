import type { Config } from '../../config/load-config.js';
import type { DependencyClient } from '../../http/outgoing/dependency-client.js';
import { DependencyClients, type HttpDependency } from '../../http/outgoing/dependency-client.js';
import type { Connecting, IncomingAnswer, OutgoingRequest } from '../../http/outgoing/exchange.js';
import { proxyOf, type ProxySettings } from '../../http/outgoing/outbound-proxy.js';
import type { RequestContext } from '../../http/request-context.js';
import { openLog } from '../../telemetry/log.js';
import { Conditions } from '../../telemetry/conditions/conditions.js';
import { Metrics } from '../../telemetry/metrics.js';
import { UpstreamClient, type UpstreamTarget } from '../../upstream/upstream-client.js';
import { UpstreamMetrics } from '../../upstream/upstream-metrics.js';
import type { Clocks } from './clocks.js';

/** The service's client of upstream or issuer; the time that each answer says is noted. */
export class ObservedUpstream extends UpstreamClient {
  constructor(
    private readonly peer: string,
    origin: URL,
    config: Pick<Config, 'USER_AGENT'> & ProxySettings,
    private readonly clocks: Clocks,
  ) {
    const targets = { issuer: 1, token: 1, graphql: 4 };
    const log = openLog({ LOG_LEVEL: 'silent' }, { write: () => undefined });
    const metrics = new UpstreamMetrics(new Metrics(), new Conditions());
    const proxy = proxyOf(origin, config);
    super(new URL(origin.origin), targets, config.USER_AGENT, metrics, log, { proxy });
  }

  override async send(
    target: UpstreamTarget,
    request: OutgoingRequest,
    context: RequestContext,
  ): Promise<IncomingAnswer> {
    const answer = await super.send(target, request, context);
    this.clocks.note(this.peer, answer.headers.date);
    return answer;
  }
}

/** The service's clients of other dependencies, likewise. */
export class ObservedClients extends DependencyClients {
  constructor(
    private readonly peer: string,
    config: Pick<Config, 'USER_AGENT'> & ProxySettings,
    private readonly clocks: Clocks,
  ) {
    super(new Metrics(), config);
  }

  override open(
    dependency: HttpDependency,
    origin: URL,
    connectionsMax: number,
    connecting?: Connecting,
  ): DependencyClient {
    const client = super.open(dependency, origin, connectionsMax, connecting);
    const send = client.send.bind(client);
    client.send = async (...call) => {
      const answer = await send(...call);
      this.clocks.note(this.peer, answer.headers.date);
      return answer;
    };
    return client;
  }
}
