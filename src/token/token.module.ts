import { Module } from '@nestjs/common';
import { HirerAccessModule } from '../hirer-access/hirer-access.module.js';
import { Health } from '../telemetry/health.js';
import { BrowserTokens } from './browser-tokens.js';
import { HirerNames } from './hirer-names.js';
import { HirersController } from './hirers.controller.js';
import { PartnerTokens } from './partner-tokens.js';
import { RequestLimit } from './rate-limits.js';
import { SharedTokens } from './shared-tokens.js';
import { BrowserTokenController } from './browser-token.controller.js';

/**
 * Tokens: the service's main job. The partner token is kept here and sent only to the upstream; browser tokens are
 * minted with it, for one user, one hirer and exactly the requested scopes, after membership and scopes were checked on
 * the same request. Public interface: `POST /auth/token` and `GET /hirers`; for the modules above {@link PartnerTokens},
 * {@link BrowserTokens}, {@link HirerNames} and {@link RequestLimit}.
 */
@Module({
  imports: [HirerAccessModule],
  controllers: [BrowserTokenController, HirersController],
  providers: [RequestLimit, SharedTokens, PartnerTokens, BrowserTokens, HirerNames],
  exports: [RequestLimit, PartnerTokens, BrowserTokens, HirerNames],
})
export class TokenModule {
  constructor(health: Health, partnerTokens: PartnerTokens) {
    health.register('partner-token', () => partnerTokens.check());
  }
}
