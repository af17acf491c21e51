import { DependencyClients } from '../../src/http/outgoing/dependency-client.js';
import { Metrics } from '../../src/telemetry/metrics.js';

/** Clients for a class that a test builds by itself; nobody reads what they measure. */
export function dependencyClients(): DependencyClients {
  return new DependencyClients(new Metrics(), {
    USER_AGENT: 'partner-bff-test',
    OUTBOUND_PROXY: undefined,
    OUTBOUND_PROXY_EXCEPT: [],
  });
}
