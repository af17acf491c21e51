import type { Member } from '../../http/end-user.js';
import type { RequestContext } from '../../http/request-context.js';
import type { BrowserToken, BrowserTokens } from '../../token/browser-tokens.js';
import { noteToken } from '../../token/token-issuance.js';
import type { PartnerTokens } from '../../token/partner-tokens.js';
import type { TokenSource } from '../../token/use-token.js';

/** On whose behalf an operation goes upstream, and with which token. */
export interface Credential extends TokenSource<string | undefined> {
  /** The caller whose operations and failures count together. */
  readonly user: string;
  /** Whose vote it is when the calls of most fail: the user's own; machines and deliveries have one together. */
  readonly voter: string;
  /** The audience of what this credential reads: two with the same parts read the same. */
  readonly audience: readonly string[];
  /** The same for answers that do not depend on the user. */
  readonly sharedAudience: readonly string[];
}

/** For what needs no token. Its callers count as one user: their number is unknown. */
export const NO_CREDENTIAL: Credential = {
  user: 'strangers',
  voter: 'strangers',
  audience: ['none'],
  sharedAudience: ['none'],
  get: () => undefined,
  replace: async () => false,
};

/** In the place of the user's id, for what users share with each other and machines with each other. */
function kindOf({ isMachine }: Member): string {
  return isMachine ? 'machines' : '';
}

function voterOf(member: Member): string {
  return kindOf(member) || member.userId;
}

/** The token of one user at one hirer, which the upstream itself confines. */
export class BrowserCredential implements Credential {
  constructor(
    private readonly tokens: BrowserTokens,
    private readonly member: Member,
  ) {}

  get user(): string {
    return this.member.userId;
  }

  get voter(): string {
    return voterOf(this.member);
  }

  get audience(): readonly string[] {
    const { hirerId, userId, scopes } = this.member;
    return ['browser', hirerId, userId, ...scopes];
  }

  get sharedAudience(): readonly string[] {
    const { hirerId, scopes } = this.member;
    return ['browser', hirerId, kindOf(this.member), ...scopes];
  }

  get(context: RequestContext): string | Promise<string> {
    const token = context.stage('token', () => this.tokens.get(this.member, context));
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

/** The partner token, for registered operations alone. */
export class PartnerCredential implements Credential {
  constructor(
    private readonly tokens: PartnerTokens,
    private readonly member: Member,
  ) {}

  get user(): string {
    return this.member.userId;
  }

  get voter(): string {
    return voterOf(this.member);
  }

  get audience(): readonly string[] {
    return ['partner', this.member.hirerId, this.member.userId];
  }

  get sharedAudience(): readonly string[] {
    return ['partner', this.member.hirerId, kindOf(this.member)];
  }

  get(context: RequestContext): string | Promise<string> {
    return context.stage('token', () => this.tokens.get(context));
  }

  replace(token: string, context: RequestContext): Promise<boolean> {
    return this.tokens.replace(token, context);
  }
}
