import { Injectable } from '@nestjs/common';
import { Default } from '../config/default.js';
import { BffError } from '../errors/bff-error.js';
import type { RequestContext } from '../http/request-context.js';
import { Upstream, type BrowserTokenRequest } from '../upstream/upstream.js';
import { PartnerTokens } from './partner-tokens.js';
import { MintLimit } from './rate-limits.js';
import type { StoredToken } from './shared-tokens.js';
import { sendWithToken } from './token-renewal.js';

/**
 * Asks the upstream for browser tokens (interface 4.2), within the mint limit. A partner token that it refuses is
 * replaced once.
 */
@Injectable()
export class BrowserTokenMint {
  constructor(
    private readonly upstream: Upstream,
    private readonly partnerTokens: PartnerTokens,
    private readonly limit: MintLimit,
    @Default() private readonly now: () => number = Date.now,
  ) {}

  /** @throws BffError `rate_limited`, `unavailable`, `hirer_not_connected`, `upstream_error` or `upstream_timeout` */
  async mint(request: BrowserTokenRequest, context: RequestContext): Promise<StoredToken> {
    await this.limit.admit(`${request.userId} ${request.hirerId}`);
    const ask = async (partnerToken: string): Promise<StoredToken | undefined> => {
      const issuedAt = this.now();
      const grant = await this.upstream.requestBrowserToken(request, partnerToken, context);
      if (!grant) return undefined;
      this.partnerTokens.confirm(partnerToken);
      return { accessToken: grant.accessToken, issuedAt, expiresAt: issuedAt + grant.lifeSeconds * 1000 };
    };
    const isRefused = (token: StoredToken | undefined): boolean => token === undefined;
    const token = await sendWithToken(this.partnerTokens, context, ask, isRefused, 'token-endpoint');
    if (token) return token;
    throw new BffError('upstream_error', { message: 'the upstream refused two fresh partner tokens' });
  }
}
