import { Global, Inject, Module } from '@nestjs/common';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/load-config.js';
import type { Log } from '../telemetry/log.js';
import { Metrics } from '../telemetry/metrics.js';
import { LOG } from '../telemetry/telemetry.module.js';
import { AttachmentEndpoint } from './attachment-endpoint.js';
import { BrowserTokenEndpoint } from './browser-token-endpoint.js';
import { GraphqlEndpoint } from './graphql-endpoint.js';
import { Issuer } from './issuer.js';
import {
  UpstreamClient,
  registerConnectionMetrics,
  registerUpstreamMetrics,
  type UpstreamDurations,
} from './upstream-client.js';

/** Injection token of the client of the upstream's origin. */
export const UPSTREAM_CLIENT = Symbol('UPSTREAM_CLIENT');
/** Injection token of the client of the issuer's origin. */
export const ISSUER_CLIENT = Symbol('ISSUER_CLIENT');
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
    {
      provide: UPSTREAM_CLIENT,
      inject: [CONFIG, DURATIONS, LOG],
      useFactory: (config: Config, durations: UpstreamDurations, log: Log) =>
        new UpstreamClient(
          config.UPSTREAM_URL!,
          {
            token: TOKEN_CONNECTIONS_MAX,
            graphql: config.UPSTREAM_IN_FLIGHT_MAX + GRAPHQL_CONNECTIONS_SPARE,
            attachment: DOWNLOADS_MAX,
          },
          config.USER_AGENT,
          config.UPSTREAM_TIMEOUT_MS,
          durations,
          log,
        ),
    },
    {
      provide: ISSUER_CLIENT,
      inject: [CONFIG, DURATIONS, LOG],
      useFactory: (config: Config, durations: UpstreamDurations, log: Log) =>
        new UpstreamClient(
          config.ISSUER_TOKEN_URL!,
          { issuer: ISSUER_CONNECTIONS_MAX },
          config.USER_AGENT,
          config.ISSUER_TIMEOUT_MS,
          durations,
          log,
        ),
    },
    {
      provide: Issuer,
      inject: [ISSUER_CLIENT, CONFIG],
      useFactory: (client: UpstreamClient, config: Config) =>
        new Issuer(client, config.ISSUER_TOKEN_URL!, Date.now),
    },
    {
      provide: BrowserTokenEndpoint,
      inject: [UPSTREAM_CLIENT, CONFIG],
      useFactory: (client: UpstreamClient, config: Config) =>
        new BrowserTokenEndpoint(client, config.UPSTREAM_URL!, Date.now),
    },
    {
      provide: GraphqlEndpoint,
      inject: [UPSTREAM_CLIENT, CONFIG],
      useFactory: (client: UpstreamClient, config: Config) =>
        new GraphqlEndpoint(client, config.UPSTREAM_URL!),
    },
    {
      provide: AttachmentEndpoint,
      inject: [UPSTREAM_CLIENT],
      useFactory: (client: UpstreamClient) => new AttachmentEndpoint(client),
    },
  ],
  exports: [
    UPSTREAM_CLIENT,
    ISSUER_CLIENT,
    Issuer,
    BrowserTokenEndpoint,
    GraphqlEndpoint,
    AttachmentEndpoint,
  ],
})
export class UpstreamModule {
  constructor(
    @Inject(UPSTREAM_CLIENT) upstream: UpstreamClient,
    @Inject(ISSUER_CLIENT) issuer: UpstreamClient,
    @Inject(Metrics) metrics: Metrics,
  ) {
    registerConnectionMetrics(metrics, [upstream, issuer]);
  }
}
