import { Inject, Injectable } from '@nestjs/common';
import { Default } from '../config/default.js';
import { CONFIG, type Config } from '../config/load-config.js';
import { BffError } from '../errors/bff-error.js';
import type { IncomingAnswer } from '../http/outgoing/exchange.js';
import { isBearer, isHeaderValue } from './issuer.js';
import { readJsonObject } from './json-answer.js';
import type { RequestContext } from '../http/request-context.js';
import { fromFault, fromRefusal } from './upstream-error.js';
import { UpstreamClients } from './upstream-clients.js';

const ANSWER_BYTES_MAX = 65_536;
/** A day: what lives longer is asked for again sooner. */
const LIFE_SECONDS_MAX = 86_400;

/** Body of the upstream's `POST /auth/token` (interface 2.1). */
export interface BrowserTokenRequest {
  readonly hirerId: string;
  /** Sorted, without repetition. */
  readonly scopes: readonly string[];
  /** Pseudonym of the end user. */
  readonly userId: string;
}

/** The upstream's answer to a token request: a token, or that it does not accept the partner token. */
export type BrowserTokenAnswer =
  | { readonly kind: 'granted'; readonly accessToken: string; readonly lifeSeconds: number }
  | { readonly kind: 'unauthenticated' };

/** The upstream's browser-token endpoint (interface 4.2). */
@Injectable()
export class BrowserTokenEndpoint {
  private readonly path: string;
  private readonly timeoutMs: number;

  constructor(
    private readonly clients: UpstreamClients,
    @Inject(CONFIG) config: Pick<Config, 'UPSTREAM_URL' | 'UPSTREAM_TIMEOUT_MS'>,
    @Default() private readonly now: () => number = Date.now,
  ) {
    this.path = `${config.UPSTREAM_URL!.pathname.replace(/\/$/, '')}/auth/token`;
    this.timeoutMs = config.UPSTREAM_TIMEOUT_MS;
  }

  /**
   * Asks for a browser token.
   * @throws BffError `hirer_not_connected`, `rate_limited`, `unavailable`, `upstream_error` or `upstream_timeout`
   */
  async requestToken(
    request: BrowserTokenRequest,
    partnerToken: string,
    context: RequestContext,
  ): Promise<BrowserTokenAnswer> {
    const { hirerId, scopes, userId } = request;
    const body = JSON.stringify({ hirerId, scope: scopes.join(' '), userId });
    const answer = await this.post(body, partnerToken, context);
    if (answer.status === 401) return { kind: 'unauthenticated' };
    if (answer.status === 403) {
      throw new BffError('hirer_not_connected', { message: 'token endpoint answered 403' });
    }
    if (answer.status !== 200) throw fromRefusal(answer, 'token endpoint', this.now());
    const grant = readGrant(answer, scopes);
    if (grant.accessToken === partnerToken) throw new InvalidGrant('access_token is the partner token');
    return grant;
  }

  private async post(body: string, partnerToken: string, context: RequestContext): Promise<IncomingAnswer> {
    const headers = {
      authorization: `Bearer ${partnerToken}`,
      'content-type': 'application/json',
      accept: 'application/json',
    };
    try {
      const { path, timeoutMs } = this;
      return await this.clients.token.send(
        { method: 'POST', path, headers, body, timeoutMs, bodyBytesMax: ANSWER_BYTES_MAX },
        context,
      );
    } catch (error) {
      throw fromFault(error);
    }
  }
}

function readGrant(
  answer: IncomingAnswer,
  scopes: readonly string[],
): Extract<BrowserTokenAnswer, { kind: 'granted' }> {
  const {
    access_token: accessToken,
    token_type: type,
    expires_in: life,
    scope,
  } = readJsonObject(answer) ?? {};
  if (!isHeaderValue(accessToken)) throw new InvalidGrant('access_token is missing or not a token');
  if (!isBearer(type)) throw new InvalidGrant('token_type is not Bearer');
  if (!Number.isSafeInteger(life) || (life as number) <= 0) {
    throw new InvalidGrant('expires_in is not a positive integer');
  }
  if (scope !== undefined && !isSameSet(scope, scopes)) {
    throw new InvalidGrant('the scope granted is not the scope asked');
  }
  return { kind: 'granted', accessToken, lifeSeconds: Math.min(life as number, LIFE_SECONDS_MAX) };
}

function isSameSet(scope: unknown, scopes: readonly string[]): boolean {
  if (typeof scope !== 'string') return false;
  const granted = new Set(scope.split(' ').filter((name) => name !== ''));
  return granted.size === scopes.length && scopes.every((name) => granted.has(name));
}

/** An answer that grants nothing that can be used. */
export class InvalidGrant extends BffError {
  constructor(message: string) {
    super('upstream_error', { message: `token endpoint: ${message}` });
  }
}
