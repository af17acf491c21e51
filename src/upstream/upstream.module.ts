import { Global, Module } from '@nestjs/common';
import { Conditions } from '../telemetry/conditions/conditions.js';
import { Health } from '../telemetry/health.js';
import { KeptPartnerTokens } from './kept-partner-tokens.js';
import { Upstream } from './upstream.js';

/**
 * Upstream: how the service talks to the upstream and the issuer, and what their answers mean. It holds no
 * credential to call with: tokens and secrets come with each call. {@link KeptPartnerTokens} sees that no answer quotes them.
 * Public interface: {@link Upstream}.
 */
@Global()
@Module({
  providers: [KeptPartnerTokens, Upstream],
  exports: [KeptPartnerTokens, Upstream],
})
export class UpstreamModule {
  constructor(conditions: Conditions, health: Health) {
    health.register('upstream', () =>
      conditions.checkOf('upstream-failing', 'upstream-rate-limited', 'upstream-slow'),
    );
    health.register('issuer', () => conditions.checkOf('issuer-failing', 'credentials-refused'));
  }
}
