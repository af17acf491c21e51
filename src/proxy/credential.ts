import type { BrowserToken, BrowserTokens } from '../token/browser-tokens.js';
import type { PartnerTokens } from '../token/partner-tokens.js';
import type { BrowserTokenRequest } from '../upstream/browser-token-endpoint.js';
import type { RequestContext } from '../upstream/request-context.js';

/** Where the token of an upstream request comes from. */
export interface Credential {
  readonly kind: 'browser' | 'partner' | 'none';
  /** Who may see what this credential reads: two with the same parts read the same. */
  readonly audience: readonly string[];
  /** The same for answers that do not depend on the user. */
  readonly sharedAudience: readonly string[];
  get(context: RequestContext): string | undefined | Promise<string>;
  /** Forgets the token the upstream did not accept, unless another one is current by now. */
  drop(token: string): Promise<void>;
}

/** For what needs no token. */
export const NO_CREDENTIAL: Credential = {
  kind: 'none',
  audience: ['none'],
  sharedAudience: ['none'],
  get: () => undefined,
  drop: async () => undefined,
};

/** The token of one user at one hirer, which the upstream itself confines. */
export function browserCredential(
  tokens: BrowserTokens,
  request: BrowserTokenRequest,
  onToken: (token: BrowserToken) => void,
): Credential {
  const report = (token: BrowserToken): string => {
    onToken(token);
    return token.accessToken;
  };
  return {
    kind: 'browser',
    audience: ['browser', request.hirerId, request.userId, ...request.scopes],
    sharedAudience: ['browser', request.hirerId, '', ...request.scopes],
    get(context) {
      const token = tokens.get(request, context);
      return token instanceof Promise ? token.then(report) : report(token);
    },
    drop: (token) => tokens.drop(request, token),
  };
}

/** The partner token, for registered operations alone. */
export function partnerCredential(tokens: PartnerTokens, hirerId: string, userId: string): Credential {
  return {
    kind: 'partner',
    audience: ['partner', hirerId, userId],
    sharedAudience: ['partner', hirerId, ''],
    get: (context) => tokens.get(context),
    drop: (token) => tokens.drop(token),
  };
}
