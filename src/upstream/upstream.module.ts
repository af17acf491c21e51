import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config } from '../config/load-config.js';
import { LOG, type Log } from '../telemetry/log.js';
import { Metrics } from '../telemetry/metrics.js';
import { AttachmentEndpoint } from './attachment-endpoint.js';
import { BrowserTokenEndpoint } from './browser-token-endpoint.js';
import { GraphqlEndpoint } from './graphql-endpoint.js';
import { Issuer } from './issuer.js';
import {
  ISSUER_CLIENT,
  UPSTREAM_CLIENT,
  UpstreamClient,
  registerConnectionMetrics,
  registerUpstreamMetrics,
  type UpstreamDurations,
} from './upstream-client.js';

const DURATIONS = Symbol('UPSTREAM_DURATIONS');

/** Most downloads under way at one time, of all users: each holds a connection for as long as its caller reads. */
export const DOWNLOADS_MAX = 128;
/** Token requests are short and at most one for each user and hirer at a time. */
const TOKEN_CONNECTIONS_MAX = 32;
/** One request serves all callers. */
const ISSUER_CONNECTIONS_MAX = 4;
/** For calls that no caller makes and UPSTREAM_IN_FLIGHT_MAX does not count: names of hirers, reconciliation. */
const GRAPHQL_CONNECTIONS_SPARE = 16;

/**
 * Upstream: how the service speaks to the upstream and the issuer, and what their answers mean. It holds no
 * credential: tokens and secrets are handed in with each call and are gone with it.
 */
@Global()
@Module({
  providers: [
    { provide: DURATIONS, inject: [Metrics], useFactory: registerUpstreamMetrics },
    { provide: UPSTREAM_CLIENT, inject: [CONFIG, DURATIONS, LOG], useFactory: openUpstreamClient },
    { provide: ISSUER_CLIENT, inject: [CONFIG, DURATIONS, LOG], useFactory: openIssuerClient },
    Issuer,
    BrowserTokenEndpoint,
    GraphqlEndpoint,
    AttachmentEndpoint,
  ],
  exports: [Issuer, BrowserTokenEndpoint, GraphqlEndpoint, AttachmentEndpoint],
})
export class UpstreamModule implements OnApplicationShutdown {
  private readonly clients: readonly UpstreamClient[];

  constructor(
    @Inject(UPSTREAM_CLIENT) upstream: UpstreamClient,
    @Inject(ISSUER_CLIENT) issuer: UpstreamClient,
    metrics: Metrics,
  ) {
    this.clients = [upstream, issuer];
    registerConnectionMetrics(metrics, this.clients);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.close()));
  }
}

function openUpstreamClient(config: Config, durations: UpstreamDurations, log: Log): UpstreamClient {
  const connectionsMax = {
    token: TOKEN_CONNECTIONS_MAX,
    graphql: config.UPSTREAM_IN_FLIGHT_MAX + GRAPHQL_CONNECTIONS_SPARE,
    attachment: DOWNLOADS_MAX,
  };
  const { UPSTREAM_URL, USER_AGENT, UPSTREAM_TIMEOUT_MS } = config;
  return new UpstreamClient(UPSTREAM_URL!, connectionsMax, USER_AGENT, UPSTREAM_TIMEOUT_MS, durations, log);
}

function openIssuerClient(config: Config, durations: UpstreamDurations, log: Log): UpstreamClient {
  const { ISSUER_TOKEN_URL, USER_AGENT, ISSUER_TIMEOUT_MS } = config;
  const connectionsMax = { issuer: ISSUER_CONNECTIONS_MAX };
  return new UpstreamClient(ISSUER_TOKEN_URL!, connectionsMax, USER_AGENT, ISSUER_TIMEOUT_MS, durations, log);
}
