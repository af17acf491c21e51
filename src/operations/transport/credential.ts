import { BffError } from '../../errors/bff-error.js';
import type { Member } from '../../http/end-user.js';
import type { RequestContext } from '../../http/request-context.js';
import { noteToken, type BrowserToken, type BrowserTokens } from '../../token/browser-tokens.js';
import type { PartnerTokens } from '../../token/partner-tokens.js';
import type { TokenSource } from '../../token/token-renewal.js';

/** On whose behalf an operation goes upstream, and with which token; undefined for what needs none. */
export interface Credential extends TokenSource<string | undefined> {
  /** The caller whose operations count together. */
  readonly user: string;
  /** Whose vote it is when the calls of most fail: the user's own; machines and deliveries have one together. */
  readonly voter: string;
  /** What reads the same has the same audience: of the user alone, or shared with others. */
  audience(isShared: boolean): readonly string[];
}

/** For what needs no token. Its callers count as one user: their number is unknown. */
export const NO_CREDENTIAL: Credential = {
  user: 'strangers',
  voter: 'strangers',
  audience: () => ['none'],
  get: () => undefined,
  replace: async () => false,
};

/** In the place of the user's id, for what machines share with each other. */
const MACHINES = 'machines';

/** The credentials of one member: one each, so that what goes together can be told by them. */
export class MemberCredentials {
  private browser: Credential | undefined;
  private partner: Credential | undefined;

  constructor(
    readonly member: Member,
    private readonly browserTokens: BrowserTokens,
    private readonly partnerTokens: PartnerTokens,
  ) {}

  /** @throws BffError `scope_forbidden` for a browser token without a scope, which the interface does not have (2.1) */
  of(token: 'browser' | 'partner'): Credential {
    const { member } = this;
    if (token === 'partner') {
      return (this.partner ??= new MemberCredential(member, this.partnerTokens, ['partner']));
    }
    if (this.browser) return this.browser;
    if (member.scopes.length > 0) {
      const tokens = new MemberTokens(member, this.browserTokens);
      return (this.browser = new MemberCredential(member, tokens, ['browser', ...member.scopes]));
    }
    throw new BffError('scope_forbidden', { detail: 'No scope is open to your role at this hirer.' });
  }
}

class MemberCredential implements Credential {
  /** @param reads the token, and the scopes that decide what it reads */
  constructor(
    private readonly member: Member,
    private readonly source: TokenSource,
    private readonly reads: readonly string[],
  ) {}

  get user(): string {
    return this.member.userId;
  }

  get voter(): string {
    return this.member.isMachine ? MACHINES : this.member.userId;
  }

  audience(isShared: boolean): readonly string[] {
    const { hirerId, userId, isMachine } = this.member;
    const sharer = isMachine ? MACHINES : '';
    return [hirerId, isShared ? sharer : userId, ...this.reads];
  }

  get(context: RequestContext): string | Promise<string> {
    return context.stage('token', () => this.source.get(context));
  }

  replace(token: string, context: RequestContext): Promise<boolean> {
    return this.source.replace(token, context);
  }
}

/** The tokens of one user at one hirer, which the upstream itself confines. */
class MemberTokens implements TokenSource {
  constructor(
    private readonly member: Member,
    private readonly tokens: BrowserTokens,
  ) {}

  get(context: RequestContext): string | Promise<string> {
    const token = this.tokens.get(this.member, context);
    return token instanceof Promise
      ? token.then((one) => this.note(one, context))
      : this.note(token, context);
  }

  replace(token: string): Promise<boolean> {
    return this.tokens.replace(this.member, token);
  }

  private note(token: BrowserToken, context: RequestContext): string {
    // the same token again comes from the cache, and is noted as it came first
    if (context.notes.tokenHash !== token.tokenHash) noteToken(token, this.member.scopes, context);
    return token.accessToken;
  }
}
