import { Global, Module } from '@nestjs/common';
import { Conditions } from '../telemetry/conditions/conditions.js';
import { Health } from '../telemetry/health.js';
import { KeptTokens } from './kept-tokens.js';
import { Upstream } from './upstream.js';
import { UpstreamClients } from './upstream-clients.js';

/**
 * Upstream: how the service talks to the upstream and the issuer, and what their answers mean. It holds no
 * credential to call with: tokens and secrets come with each call. {@link KeptTokens} sees that no answer quotes them.
 * Public interface: {@link Upstream}.
 */
@Global()
@Module({
  providers: [UpstreamClients, KeptTokens, Upstream],
  exports: [KeptTokens, Upstream],
})
export class UpstreamModule {
  constructor(conditions: Conditions, health: Health) {
    health.register('upstream', () =>
      conditions.checkOf('upstream-failing', 'upstream-rate-limited', 'upstream-slow'),
    );
    health.register('issuer', () => conditions.checkOf('issuer-failing', 'credentials-refused'));
  }
}
