import { Injectable } from '@nestjs/common';
import { Default } from '../config/default.js';
import { BffError } from '../errors/bff-error.js';
import type { RequestContext } from '../http/request-context.js';
import { Conditions } from '../telemetry/conditions/conditions.js';
import {
  BrowserTokenEndpoint,
  InvalidGrant,
  type BrowserTokenAnswer,
  type BrowserTokenRequest,
} from '../upstream/browser-token-endpoint.js';
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
  private readonly answers;

  constructor(
    private readonly endpoint: BrowserTokenEndpoint,
    private readonly partnerTokens: PartnerTokens,
    private readonly limit: MintLimit,
    conditions: Conditions,
    @Default() private readonly now: () => number = Date.now,
  ) {
    this.answers = conditions.calls('upstream-failing', 'browser token answers');
  }

  /** @throws BffError `rate_limited`, `unavailable`, `hirer_not_connected`, `upstream_error` or `upstream_timeout` */
  async mint(request: BrowserTokenRequest, context: RequestContext): Promise<StoredToken> {
    await this.limit.admit(`${request.userId} ${request.hirerId}`);
    let issuedAt = 0;
    const ask = (partnerToken: string): Promise<BrowserTokenAnswer> => {
      issuedAt = this.now();
      return this.ask(request, partnerToken, context);
    };
    const isRefused = ({ kind }: BrowserTokenAnswer): boolean => kind === 'unauthenticated';
    const answer = await sendWithToken(this.partnerTokens, context, ask, isRefused, 'token-endpoint');
    if (answer.kind === 'granted') {
      const { accessToken, lifeSeconds } = answer;
      return { accessToken, issuedAt, expiresAt: issuedAt + lifeSeconds * 1000 };
    }
    throw new BffError('upstream_error', { message: 'the upstream refused two fresh partner tokens' });
  }

  private async ask(
    request: BrowserTokenRequest,
    partnerToken: string,
    context: RequestContext,
  ): Promise<BrowserTokenAnswer> {
    const answer = await this.endpoint
      .requestToken(request, partnerToken, context)
      .catch((error: unknown) => {
        if (error instanceof InvalidGrant) this.answers.failed('no token that can be used');
        throw error;
      });
    if (answer.kind === 'granted') {
      this.answers.succeeded();
      this.partnerTokens.confirm(partnerToken);
    } else {
      this.answers.failed('the partner token is refused');
    }
    return answer;
  }
}
