import type { EndUser } from '../auth/end-user.js';
import { BffError } from '../errors/bff-error.js';
import { ERROR_CODES } from '../errors/error-codes.js';
import { toBffError } from '../errors/to-bff-error.js';
import type { HirerGate } from '../hirer-access/hirer-gate.js';
import type { AuditTrail } from '../audit/audit-trail.js';
import type { Metrics } from '../telemetry/metrics.js';
import type { RateLimit } from '../storage/rate-limit.js';
import type { RequestContext } from '../http/request-context.js';
import type { BrowserToken, BrowserTokens } from './browser-tokens.js';
import { readTokenRequest, type TokenRequest } from './token-request.js';

/** Body of our `POST /auth/token` answer: the members of interface 2.2 and no other. */
export interface TokenAnswer {
  readonly access_token: string;
  /** Whole seconds that are left of the token. */
  readonly expires_in: number;
  readonly token_type: 'Bearer';
}

/** What an audit record gathers while a request goes through its stages. */
interface Progress {
  request?: TokenRequest;
  roles?: readonly string[];
  token?: BrowserToken;
}

/**
 * The main job: a user who belongs to a hirer gets a browser token for it. The order is the guarantee: validate,
 * membership, scope, request limit, and only then the cache, so that a refused request learns nothing and calls no
 * one. Every request, allowed or refused, leaves one audit record.
 */
export class TokenIssuance {
  private readonly issued;

  constructor(
    private readonly gate: HirerGate,
    private readonly requestLimit: RateLimit,
    private readonly browserTokens: BrowserTokens,
    private readonly audit: AuditTrail,
    metrics: Metrics,
    private readonly now: () => number = Date.now,
  ) {
    this.issued = metrics.counter(
      'bff_browser_tokens_total',
      'Requests to /auth/token, by outcome (issued, or the error code) and source (cache, upstream, none).',
      ['outcome', 'source'],
    );
    for (const source of ['cache', 'upstream']) this.issued.inc({ outcome: 'issued', source }, 0);
    for (const outcome of Object.keys(ERROR_CODES)) this.issued.inc({ outcome, source: 'none' }, 0);
  }

  /** @throws BffError as contract has it for `POST /auth/token` */
  async issue(user: EndUser, body: unknown, context: RequestContext): Promise<TokenAnswer> {
    const progress: Progress = {};
    try {
      const token = await this.obtain(user, body, context, progress);
      this.report('issued', user, context, progress);
      return {
        access_token: token.accessToken,
        expires_in: Math.max(1, Math.floor((token.expiresAt - this.now()) / 1000)),
        token_type: 'Bearer',
      };
    } catch (thrown) {
      this.report(toBffError(thrown).code, user, context, progress);
      throw thrown;
    }
  }

  /** Counts and records a request that was refused before its body was read. */
  refuse(error: BffError, user: EndUser | null, context: RequestContext): void {
    this.report(error.code, user, context, {}, error.reason);
  }

  private async obtain(
    user: EndUser,
    body: unknown,
    context: RequestContext,
    progress: Progress,
  ): Promise<BrowserToken> {
    const { hirerId, scopes } = (progress.request = readTokenRequest(body));
    const access = await context.stage('membership', () => this.gate.enter(user, hirerId));
    progress.roles = access.roles;
    const refused = scopes.find((scope) => !access.scopes.includes(scope));
    if (refused !== undefined)
      throw new BffError('scope_forbidden', { detail: `The scope "${refused}" is not open to you.` });
    const retryAfterSeconds = await this.requestLimit.take(user.userId);
    if (retryAfterSeconds !== undefined) throw new BffError('rate_limited', { retryAfterSeconds });
    const request = { hirerId, scopes, userId: user.userId };
    return (progress.token = await context.stage('token', () => this.browserTokens.get(request, context)));
  }

  private report(
    outcome: string,
    user: EndUser | null,
    context: RequestContext,
    progress: Progress,
    reason?: string,
  ): void {
    const { request, roles, token } = progress;
    const source = token?.source ?? 'none';
    this.issued.inc({ outcome, source });
    this.audit.record({
      time: this.now(),
      requestId: context.requestId,
      sessionId: context.sessionId,
      action: 'token',
      user: user?.userId,
      hirerId: request?.hirerId,
      roles,
      scopesAsked: request?.scopes,
      scopesGranted: token && request?.scopes,
      outcome,
      source,
      upstreamRequestId: context.upstreamRequestIds.at(-1),
      expiresAt: token?.expiresAt,
      tokenHash: token?.tokenHash,
      ...(!user && { reason, address: context.address }),
    });
  }
}
