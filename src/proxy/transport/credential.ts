import type { BrowserToken, BrowserTokens } from '../../token/browser-tokens.js';
import type { PartnerTokens } from '../../token/partner-tokens.js';
import type { BrowserTokenRequest } from '../../upstream/browser-token-endpoint.js';
import type { RequestContext } from '../../http/request-context.js';

/** Where the token of an upstream request comes from. */
export interface Credential {
  readonly kind: 'browser' | 'partner' | 'none';
  /** Who may see what this credential reads: two with the same parts read the same. */
  readonly audience: readonly string[];
  /** The same for answers that do not depend on the user. */
  readonly sharedAudience: readonly string[];
  get(context: RequestContext): string | undefined | Promise<string>;
  /**
   * Replaces the token the upstream did not accept.
   * @returns whether to get a token and send again; false when the refusal is to be passed on
   */
  drop(token: string, context: RequestContext): Promise<boolean>;
}

/** For what needs no token. */
export const NO_CREDENTIAL: Credential = {
  kind: 'none',
  audience: ['none'],
  sharedAudience: ['none'],
  get: () => undefined,
  drop: async () => false,
};

/** The token of one user at one hirer, which the upstream itself confines. */
export class BrowserCredential implements Credential {
  readonly kind = 'browser';

  constructor(
    private readonly tokens: BrowserTokens,
    private readonly request: BrowserTokenRequest,
    private readonly onToken: (token: BrowserToken) => void,
  ) {}

  get audience(): readonly string[] {
    const { hirerId, userId, scopes } = this.request;
    return ['browser', hirerId, userId, ...scopes];
  }

  get sharedAudience(): readonly string[] {
    const { hirerId, scopes } = this.request;
    return ['browser', hirerId, '', ...scopes];
  }

  get(context: RequestContext): string | Promise<string> {
    const token = this.tokens.get(this.request, context);
    return token instanceof Promise ? token.then((one) => this.report(one)) : this.report(token);
  }

  drop(token: string): Promise<boolean> {
    return this.tokens.drop(this.request, token);
  }

  private report(token: BrowserToken): string {
    this.onToken(token);
    return token.accessToken;
  }
}

/** The partner token, for registered operations alone. */
export class PartnerCredential implements Credential {
  readonly kind = 'partner';

  constructor(
    private readonly tokens: PartnerTokens,
    private readonly hirerId: string,
    private readonly userId: string,
  ) {}

  get audience(): readonly string[] {
    return ['partner', this.hirerId, this.userId];
  }

  get sharedAudience(): readonly string[] {
    return ['partner', this.hirerId, ''];
  }

  get(context: RequestContext): Promise<string> {
    return this.tokens.get(context);
  }

  drop(token: string, context: RequestContext): Promise<boolean> {
    return this.tokens.drop(token, context);
  }
}
