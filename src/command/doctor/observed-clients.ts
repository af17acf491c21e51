import type { Config } from '../../config/load-config.js';
import { DependencyClients, type HttpDependency } from '../../http/outgoing/dependency-client.js';
import type { Connecting } from '../../http/outgoing/exchange.js';
import type { HttpClient } from '../../http/outgoing/http-client.js';
import type { ProxySettings } from '../../http/outgoing/outbound-proxy.js';
import { Metrics } from '../../telemetry/metrics.js';
import type { Clocks } from './clocks.js';

/** The service's clients of other dependencies than the upstream; the time that each answer says is noted. */
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
  ): HttpClient {
    const client = super.open(dependency, origin, connectionsMax, connecting);
    observe(client, this.peer, this.clocks);
    return client;
  }
}

/** Notes the time that each answer to a client says. */
export function observe(client: HttpClient, peer: string, clocks: Clocks): void {
  const send = client.send.bind(client);
  client.send = async (...call) => {
    const answer = await send(...call);
    clocks.note(peer, answer.headers.date);
    return answer;
  };
}
