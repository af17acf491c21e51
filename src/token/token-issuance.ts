import { Injectable } from '@nestjs/common';
import { Default } from '../config/default.js';
import { BffError } from '../errors/bff-error.js';
import { ERROR_CODES } from '../errors/error-codes.js';
import { HirerGate } from '../hirer-access/hirer-gate.js';
import { Metrics } from '../telemetry/metrics.js';
import type { RequestContext } from '../http/request-context.js';
import { BrowserTokens, type BrowserToken } from './browser-tokens.js';
import { RequestLimit } from './request-limit.js';
import { readTokenRequest } from './token-request.js';

/** Body of our `POST /auth/token` answer: the members of interface 2.2 and no other. */
export interface TokenAnswer {
  readonly access_token: string;
  /** Whole seconds until the token expires. */
  readonly expires_in: number;
  readonly token_type: 'Bearer';
}

/**
 * The main job: a user who belongs to a hirer gets a browser token for it. The order is the guarantee: validate,
 * membership, scope, request limit, and only then the cache, so that a refused request learns nothing and makes no
 * upstream call. Membership and scope are checked again after a wait for the upstream.
 */
@Injectable()
export class TokenIssuance {
  private readonly issued;

  constructor(
    private readonly gate: HirerGate,
    private readonly requestLimit: RequestLimit,
    private readonly browserTokens: BrowserTokens,
    metrics: Metrics,
    @Default() private readonly now: () => number = Date.now,
  ) {
    this.issued = metrics.counter(
      'bff_browser_tokens_total',
      'Requests to /auth/token, by outcome (issued, or the error code) and source (cache, upstream, none).',
      ['outcome', 'source'],
    );
    for (const source of ['cache', 'upstream']) this.issued.inc({ outcome: 'issued', source }, 0);
    for (const outcome of Object.keys(ERROR_CODES)) this.issued.inc({ outcome, source: 'none' }, 0);
  }

  /**
   * @param spent a token that the upstream no longer accepts; it is replaced if it is the one that would be answered
   * @throws BffError with a code of docs/errors.md
   */
  async issue(body: unknown, context: RequestContext, spent?: string): Promise<TokenAnswer> {
    const token = await this.obtain(body, context, spent);
    context.notes.outcomes = ['issued'];
    return {
      access_token: token.accessToken,
      expires_in: Math.max(1, Math.floor((token.expiresAt - this.now()) / 1000)),
      token_type: 'Bearer',
    };
  }

  /** Counts a request that has ended, by the notes of its context. */
  count({ outcomes: [outcome], notes: { source } }: RequestContext): void {
    this.issued.inc({ outcome: outcome!, source: source ?? 'none' });
  }

  private async obtain(body: unknown, context: RequestContext, spent?: string): Promise<BrowserToken> {
    const { notes, endUser: user } = context;
    const { hirerId, scopes } = readTokenRequest(body);
    notes.hirerId = hirerId;
    notes.scopesAsked = scopes;
    const entered = context.stage('membership', () => this.gate.enter(user, hirerId, context));
    const access = entered instanceof Promise ? await entered : entered;
    notes.roles = access.roles;
    if (user.isMachine) {
      throw new BffError('scope_forbidden', {
        detail: 'A machine gets no browser token: it calls registered operations.',
      });
    }
    checkScopes(scopes, access.scopes);
    const admitted = this.requestLimit.admit(user);
    if (admitted) await admitted;
    const request = { hirerId, scopes, userId: user.userId };
    if (spent !== undefined) await this.browserTokens.replace(request, spent);
    const held = context.stage('token', () => this.browserTokens.get(request, context));
    const token = held instanceof Promise ? await held : held;
    if (held instanceof Promise) checkScopes(scopes, (await this.gate.enter(user, hirerId, context)).scopes);
    noteToken(token, scopes, context);
    return token;
  }
}

/** @throws BffError `scope_forbidden` */
function checkScopes(asked: readonly string[], open: readonly string[]): void {
  if (asked.every((scope) => open.includes(scope))) return;
  const names = asked.filter((scope) => !open.includes(scope)).map((scope) => `"${scope}"`);
  throw new BffError('scope_forbidden', { detail: `You may not request ${names.join(', ')}.` });
}

/** Notes in the context which token the request uses. @param scopes those that the token was asked for */
export function noteToken(
  { source, expiresAt, tokenHash }: BrowserToken,
  scopes: readonly string[],
  { notes }: RequestContext,
): void {
  notes.scopesGranted = scopes;
  notes.source = source;
  notes.expiresAt = expiresAt;
  notes.tokenHash = tokenHash;
}
