import { Inject, Injectable } from '@nestjs/common';
import { Default } from '../config/default.js';
import { CONFIG, type Config } from '../config/load-config.js';
import { BffError } from '../errors/bff-error.js';
import type { RequestContext } from '../http/request-context.js';
import type { CallReports } from '../telemetry/conditions/call-condition.js';
import { Conditions } from '../telemetry/conditions/conditions.js';
import { bearerTokenOf, readJsonObject } from './json-answer.js';
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

/** A token of the upstream, and its life from when it was requested. */
export interface BrowserTokenGrant {
  readonly accessToken: string;
  readonly lifeSeconds: number;
}

/** The upstream's browser-token endpoint (interface 4.2). */
@Injectable()
export class BrowserTokenEndpoint {
  private readonly path: string;
  private readonly timeoutMs: number;
  /** What the answers say, whatever their status. */
  private readonly answers: CallReports;

  constructor(
    private readonly clients: UpstreamClients,
    @Inject(CONFIG) config: Pick<Config, 'UPSTREAM_URL' | 'UPSTREAM_TIMEOUT_MS'>,
    conditions: Conditions,
    @Default() private readonly now: () => number = Date.now,
  ) {
    this.path = `${config.UPSTREAM_URL!.pathname.replace(/\/$/, '')}/auth/token`;
    this.timeoutMs = config.UPSTREAM_TIMEOUT_MS;
    this.answers = conditions.calls('upstream-failing', 'browser token answers');
  }

  /**
   * Asks for a browser token.
   * @returns undefined when the upstream does not accept the partner token
   * @throws BffError `hirer_not_connected`, `rate_limited`, `unavailable`, `upstream_error` or `upstream_timeout`
   */
  async requestToken(
    { hirerId, scopes, userId }: BrowserTokenRequest,
    partnerToken: string,
    context: RequestContext,
  ): Promise<BrowserTokenGrant | undefined> {
    const headers = {
      authorization: `Bearer ${partnerToken}`,
      'content-type': 'application/json',
      accept: 'application/json',
    };
    const body = JSON.stringify({ hirerId, scope: scopes.join(' '), userId });
    const { path, timeoutMs } = this;
    const request = {
      method: 'POST',
      path,
      headers,
      body,
      timeoutMs,
      bodyBytesMax: ANSWER_BYTES_MAX,
    } as const;
    const answer = await this.clients.token.send(request, context).catch((error: unknown) => {
      throw fromFault(error);
    });
    if (answer.status === 401) {
      this.answers.failed('the partner token is refused');
      return undefined;
    }
    if (answer.status === 403) {
      throw new BffError('hirer_not_connected', { message: 'token endpoint answered 403' });
    }
    if (answer.status !== 200) throw fromRefusal(answer, 'token endpoint', this.now());
    return this.read(readJsonObject(answer) ?? {}, scopes, partnerToken);
  }

  private read(
    grant: Readonly<Record<string, unknown>>,
    scopes: readonly string[],
    partnerToken: string,
  ): BrowserTokenGrant {
    const accessToken = bearerTokenOf(grant);
    const { expires_in: life, scope } = grant;
    const isUsable =
      accessToken !== partnerToken &&
      Number.isSafeInteger(life) &&
      (life as number) > 0 &&
      (scope === undefined || isSameSet(scope, scopes));
    if (accessToken === undefined || !isUsable) {
      this.answers.failed('no token that can be used');
      const message =
        'token endpoint: no bearer token with a life, of exactly the scope asked, and not the partner token';
      throw new BffError('upstream_error', { message });
    }
    this.answers.succeeded();
    return { accessToken, lifeSeconds: Math.min(life as number, LIFE_SECONDS_MAX) };
  }
}

function isSameSet(scope: unknown, scopes: readonly string[]): boolean {
  if (typeof scope !== 'string') return false;
  const granted = new Set(scope.split(' ').filter((name) => name !== ''));
  return granted.size === scopes.length && scopes.every((name) => granted.has(name));
}
