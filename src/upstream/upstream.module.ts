import { Global, Module } from '@nestjs/common';
import { Conditions } from '../telemetry/conditions/conditions.js';
import { Health } from '../telemetry/health.js';
import { BrowserTokenEndpoint } from './browser-token-endpoint.js';
import { GraphqlEndpoint } from './graphql-endpoint.js';
import { Issuer } from './issuer.js';
import { KeptTokens } from './kept-tokens.js';
import { UpstreamClients } from './upstream-clients.js';

/**
 * Upstream: how the service talks to the upstream and the issuer, and what their answers mean. It holds no
 * credential to call with: tokens and secrets come with each call. {@link KeptTokens} sees that no answer quotes them.
 * Public interface: {@link Issuer}, {@link BrowserTokenEndpoint}, {@link GraphqlEndpoint}, and {@link UpstreamClients}
 * for attachments.
 */
@Global()
@Module({
  providers: [UpstreamClients, KeptTokens, Issuer, BrowserTokenEndpoint, GraphqlEndpoint],
  exports: [UpstreamClients, KeptTokens, Issuer, BrowserTokenEndpoint, GraphqlEndpoint],
})
export class UpstreamModule {
  constructor(conditions: Conditions, health: Health) {
    health.register('upstream', () =>
      conditions.checkOf('upstream-failing', 'upstream-rate-limited', 'upstream-slow'),
    );
    health.register('issuer', () => conditions.checkOf('issuer-failing', 'credentials-refused'));
  }
}
