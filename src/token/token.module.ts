import { Module } from '@nestjs/common';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/load-config.js';
import { Secrets } from '../config/secrets.js';
import { HirerAccessModule } from '../hirer-access/hirer-access.module.js';
import { HirerGate } from '../hirer-access/hirer-gate.js';
import { Health } from '../telemetry/health.js';
import type { Log } from '../telemetry/log.js';
import { Metrics } from '../telemetry/metrics.js';
import { LOG } from '../telemetry/telemetry.module.js';
import { RateLimit } from '../storage/rate-limit.js';
import type { RedisConnection } from '../storage/redis-connection.js';
import { Seal } from '../storage/seal.js';
import type { SharedCache } from '../storage/shared-cache.js';
import { REDIS, SHARED_CACHE } from '../storage/storage.module.js';
import { BrowserTokenEndpoint } from '../upstream/browser-token-endpoint.js';
import { GraphqlEndpoint } from '../upstream/graphql-endpoint.js';
import { Issuer } from '../upstream/issuer.js';
import { BrowserTokens } from './browser-tokens.js';
import { HirerNames } from './hirer-names.js';
import { HirersController } from './hirers.controller.js';
import { PartnerTokens } from './partner-tokens.js';
import { REQUEST_LIMIT } from './request-limit.js';
import { SharedTokens } from './shared-tokens.js';
import { TokenIssuance } from './token-issuance.js';

/**
 * Tokens: the service's main job. The partner token is kept here and goes nowhere but to the upstream; browser tokens
 * are minted with it, for one user, one hirer and exactly the scopes asked, after membership and scopes were checked
 * on this very request. Public interface: `POST /auth/token` and `GET /hirers`.
 */
@Module({
  imports: [HirerAccessModule],
  controllers: [HirersController],
  providers: [
    {
      provide: REQUEST_LIMIT,
      inject: [CONFIG, { token: REDIS, optional: true }],
      useFactory: (config: Config, redis?: RedisConnection) =>
        new RateLimit('requests', config.RATE_LIMIT_REQUESTS_PER_MINUTE, redis),
    },
    {
      provide: SharedTokens,
      inject: [Secrets, SHARED_CACHE],
      useFactory: (secrets: Secrets, cache: SharedCache) =>
        new SharedTokens(cache, new Seal(() => secrets.current.SEALING_KEY, 'tokens'), Date.now),
    },
    {
      provide: PartnerTokens,
      inject: [CONFIG, Secrets, Issuer, SharedTokens, LOG, Metrics, Health],
      useFactory: openPartnerTokens,
    },
    {
      provide: BrowserTokens,
      inject: [
        CONFIG,
        BrowserTokenEndpoint,
        PartnerTokens,
        SharedTokens,
        Metrics,
        { token: REDIS, optional: true },
      ],
      useFactory: openBrowserTokens,
    },
    {
      provide: TokenIssuance,
      inject: [HirerGate, REQUEST_LIMIT, BrowserTokens, Metrics],
      useFactory: (gate: HirerGate, limit: RateLimit, tokens: BrowserTokens, metrics: Metrics) =>
        new TokenIssuance(gate, limit, tokens, metrics),
    },
    {
      provide: HirerNames,
      inject: [GraphqlEndpoint, PartnerTokens, CONFIG],
      useFactory: (graphql: GraphqlEndpoint, tokens: PartnerTokens, config: Config) =>
        new HirerNames(graphql, tokens, config.UPSTREAM_TIMEOUT_MS),
    },
  ],
  exports: [REQUEST_LIMIT, PartnerTokens, BrowserTokens, TokenIssuance, HirerNames],
})
export class TokenModule {}

function openPartnerTokens(
  config: Config,
  secrets: Secrets,
  issuer: Issuer,
  shared: SharedTokens,
  log: Log,
  metrics: Metrics,
  health: Health,
): PartnerTokens {
  const identity = {
    tokenUrl: config.ISSUER_TOKEN_URL!.href,
    clientId: config.PARTNER_CLIENT_ID!,
    get clientSecret() {
      return secrets.current.PARTNER_CLIENT_SECRET!;
    },
    audience: config.PARTNER_AUDIENCE,
    encoding: config.PARTNER_TOKEN_REQUEST,
  };
  const tokens = new PartnerTokens(identity, issuer, shared, log, metrics);
  secrets.onChange('PARTNER_CLIENT_SECRET', () => tokens.endPause());
  health.register('partner-token', () => tokens.condition());
  metrics.circuit('issuer', () => tokens.paused);
  return tokens;
}

function openBrowserTokens(
  config: Config,
  endpoint: BrowserTokenEndpoint,
  partnerTokens: PartnerTokens,
  shared: SharedTokens,
  metrics: Metrics,
  redis?: RedisConnection,
): BrowserTokens {
  const identity = { baseUrl: config.UPSTREAM_URL!.href, clientId: config.PARTNER_CLIENT_ID! };
  const mintLimit = new RateLimit('mints', config.RATE_LIMIT_MINTS_PER_MINUTE, redis);
  const tokens = new BrowserTokens(identity, endpoint, partnerTokens, shared, mintLimit);
  metrics.cache('browser_tokens', tokens);
  return tokens;
}
