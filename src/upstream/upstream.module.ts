import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config } from '../config/load-config.js';
import { proxyOf } from '../http/outgoing/outbound-proxy.js';
import { Conditions } from '../telemetry/conditions/conditions.js';
import { Health } from '../telemetry/health.js';
import { LOG, type Log } from '../telemetry/log.js';
import { BrowserTokenEndpoint } from './browser-token-endpoint.js';
import { GraphqlEndpoint } from './graphql-endpoint.js';
import { Issuer } from './issuer.js';
import { KeptSecrets } from './kept-secrets.js';
import { DOWNLOADS_MAX, ISSUER_CLIENT, UPSTREAM_CLIENT, UpstreamClient } from './upstream-client.js';
import { UpstreamMetrics } from './upstream-metrics.js';

/** Token requests are short, and there is at most one at a time for each user and hirer. */
const TOKEN_CONNECTIONS_MAX = 32;
/** One request serves all callers. */
const ISSUER_CONNECTIONS_MAX = 4;
/** For calls without a caller, which UPSTREAM_IN_FLIGHT_MAX does not count: names of hirers, reconciliation. */
const GRAPHQL_CONNECTIONS_SPARE = 16;

/**
 * Upstream: how the service talks to the upstream and the issuer, and what their answers mean. It holds no
 * credential to call with: tokens and secrets come with each call. {@link KeptSecrets} sees that no answer quotes them. Public interface: {@link Issuer},
 * {@link BrowserTokenEndpoint}, {@link GraphqlEndpoint}, and the client of the upstream's origin for attachments.
 */
@Global()
@Module({
  providers: [
    UpstreamMetrics,
    KeptSecrets,
    {
      provide: UPSTREAM_CLIENT,
      inject: [CONFIG, UpstreamMetrics, LOG, KeptSecrets],
      useFactory: openUpstreamClient,
    },
    { provide: ISSUER_CLIENT, inject: [CONFIG, UpstreamMetrics, LOG], useFactory: openIssuerClient },
    Issuer,
    BrowserTokenEndpoint,
    GraphqlEndpoint,
  ],
  exports: [Issuer, BrowserTokenEndpoint, GraphqlEndpoint, KeptSecrets, UPSTREAM_CLIENT],
})
export class UpstreamModule implements OnApplicationShutdown {
  constructor(
    @Inject(UPSTREAM_CLIENT) private readonly upstream: UpstreamClient,
    @Inject(ISSUER_CLIENT) private readonly issuerClient: UpstreamClient,
    conditions: Conditions,
    health: Health,
  ) {
    health.register('upstream', () => conditions.checkOf('upstream-failing'));
    health.register('issuer', () => conditions.checkOf('issuer-failing', 'credentials-refused'));
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.upstream.close(), this.issuerClient.close()]);
  }
}

function openUpstreamClient(
  config: Config,
  metrics: UpstreamMetrics,
  log: Log,
  secrets: KeptSecrets,
): UpstreamClient {
  const connectionsMax = {
    token: TOKEN_CONNECTIONS_MAX,
    graphql: config.UPSTREAM_IN_FLIGHT_MAX + GRAPHQL_CONNECTIONS_SPARE,
    attachment: DOWNLOADS_MAX,
  };
  const origin = config.UPSTREAM_URL!;
  const proxy = proxyOf(origin, config);
  return new UpstreamClient(origin, connectionsMax, config.USER_AGENT, metrics, log, { proxy }, secrets);
}

function openIssuerClient(config: Config, metrics: UpstreamMetrics, log: Log): UpstreamClient {
  const connectionsMax = { issuer: ISSUER_CONNECTIONS_MAX };
  const origin = config.ISSUER_TOKEN_URL!;
  const proxy = proxyOf(origin, config);
  return new UpstreamClient(origin, connectionsMax, config.USER_AGENT, metrics, log, { proxy });
}
