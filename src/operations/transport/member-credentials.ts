import { BffError } from '../../errors/bff-error.js';
import type { Member } from '../../http/end-user.js';
import type { BrowserTokens } from '../../token/browser-tokens.js';
import type { PartnerTokens } from '../../token/partner-tokens.js';
import { BrowserCredential, PartnerCredential, type Credential } from './credential.js';

/** The credentials of one member: one each, so that what goes together can be told by them. */
export class MemberCredentials {
  private readonly browser: Credential;
  private readonly partner: Credential;

  constructor(
    private readonly member: Member,
    browserTokens: BrowserTokens,
    partnerTokens: PartnerTokens,
  ) {
    this.browser = new BrowserCredential(browserTokens, member);
    this.partner = new PartnerCredential(partnerTokens, member);
  }

  /** @throws BffError `scope_forbidden` for a browser token without a scope, which the interface does not have (2.1) */
  of(token: 'browser' | 'partner'): Credential {
    if (token === 'partner') return this.partner;
    if (this.member.scopes.length > 0) return this.browser;
    throw new BffError('scope_forbidden', { detail: 'No scope is open to your role at this hirer.' });
  }
}
