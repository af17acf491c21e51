import { BffError } from '../../errors/bff-error.js';
import type { Member } from '../../http/end-user.js';
import type { BrowserTokens } from '../../token/browser-tokens.js';
import type { PartnerTokens } from '../../token/partner-tokens.js';
import { BrowserCredential, PartnerCredential, type Credential } from './credential.js';

/** The credentials of one member: one each, so that what goes together can be told by them. */
export class MemberCredentials {
  private browser: Credential | undefined;
  private partner: Credential | undefined;

  constructor(
    private readonly member: Member,
    private readonly browserTokens: BrowserTokens,
    private readonly partnerTokens: PartnerTokens,
  ) {}

  /** @throws BffError `scope_forbidden` for a browser token without a scope, which the interface does not have (2.1) */
  of(token: 'browser' | 'partner'): Credential {
    const { member } = this;
    if (token === 'partner') return (this.partner ??= new PartnerCredential(this.partnerTokens, member));
    if (member.scopes.length > 0) return (this.browser ??= new BrowserCredential(this.browserTokens, member));
    throw new BffError('scope_forbidden', { detail: 'No scope is open to your role at this hirer.' });
  }
}
