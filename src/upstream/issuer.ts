import { Inject, Injectable } from '@nestjs/common';
import { Default } from '../config/default.js';
import { CONFIG, type Config } from '../config/load-config.js';
import { type IncomingAnswer, ExchangeFault } from '../http/outgoing/exchange.js';
import { bearerTokenOf, readJsonObject } from './json-answer.js';
import type { RequestContext } from '../http/request-context.js';
import { retryAfterSeconds } from '../http/header-values.js';
import { UpstreamClients } from './upstream-clients.js';

const ANSWER_BYTES_MAX = 65_536;
const LIFE_SECONDS_ASSUMED = 60;
const LIFE_SECONDS_MAX = 86_400;
/** An issuer that asks for more patience is asked again all the same: everything waits for it. */
const RETRY_AFTER_SECONDS_MAX = 60;

/** The settings by which the partner asks for a token. */
type PartnerSettings = Pick<
  Config,
  | 'ISSUER_TOKEN_URL'
  | 'ISSUER_TIMEOUT_MS'
  | 'PARTNER_CLIENT_ID'
  | 'PARTNER_AUDIENCE'
  | 'PARTNER_TOKEN_REQUEST'
>;

/**
 * The result of a token request. A refusal says whether the credentials were refused, so that they cannot be tried
 * again.
 */
export type PartnerTokenAnswer =
  | { readonly kind: 'granted'; readonly accessToken: string; readonly lifeSeconds: number }
  | {
      readonly kind: 'refused';
      readonly reason: string;
      readonly credentials: boolean;
      readonly retryAfterSeconds?: number;
    };

/** The issuer of partner tokens. */
@Injectable()
export class Issuer {
  constructor(
    private readonly clients: UpstreamClients,
    @Inject(CONFIG) private readonly config: PartnerSettings,
    @Default() private readonly now: () => number = Date.now,
  ) {}

  /**
   * Asks for a partner token with a client-credentials request (RFC 6749 section 4.4.2; `audience` as the public issuer
   * wants it). Every fault of the issuer is a refusal, and is not thrown.
   */
  async requestToken(clientSecret: string, context: RequestContext): Promise<PartnerTokenAnswer> {
    const { ISSUER_TOKEN_URL: url, ISSUER_TIMEOUT_MS: timeoutMs } = this.config;
    const path = url!.pathname + url!.search;
    const bounds = { timeoutMs, bodyBytesMax: ANSWER_BYTES_MAX };
    try {
      const request = { method: 'POST', path, ...bounds, ...encode(this.config, clientSecret) } as const;
      return this.read(await this.clients.issuer.send(request, context), clientSecret);
    } catch (error) {
      if (!(error instanceof ExchangeFault)) throw error;
      return { kind: 'refused', reason: error.kind, credentials: false };
    }
  }

  private read(answer: IncomingAnswer, clientSecret: string): PartnerTokenAnswer {
    const body = readJsonObject(answer);
    if (answer.status !== 200) return this.refusal(answer, body);
    const accessToken = bearerTokenOf(body ?? {});
    if (accessToken === undefined || accessToken === clientSecret) {
      return { kind: 'refused', reason: 'the answer is not a bearer token', credentials: false };
    }
    return { kind: 'granted', accessToken, lifeSeconds: lifeSeconds(body?.['expires_in']) };
  }

  private refusal(answer: IncomingAnswer, body: Record<string, unknown> | undefined): PartnerTokenAnswer {
    const wait = retryAfterSeconds(answer.headers['retry-after'], this.now());
    return {
      kind: 'refused',
      reason: `status ${answer.status}`,
      credentials: answer.status === 401 || body?.['error'] === 'invalid_client',
      ...(wait !== undefined && { retryAfterSeconds: Math.min(wait, RETRY_AFTER_SECONDS_MAX) }),
    };
  }
}

function encode(config: PartnerSettings, clientSecret: string) {
  const { PARTNER_CLIENT_ID, PARTNER_AUDIENCE, PARTNER_TOKEN_REQUEST } = config;
  const members = {
    grant_type: 'client_credentials',
    client_id: PARTNER_CLIENT_ID!,
    client_secret: clientSecret,
    ...(PARTNER_AUDIENCE !== undefined && { audience: PARTNER_AUDIENCE }),
  };
  const isJson = PARTNER_TOKEN_REQUEST === 'json';
  return {
    headers: {
      'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded',
      accept: 'application/json',
    },
    body: isJson ? JSON.stringify(members) : new URLSearchParams(members).toString(),
  };
}

/** Life in seconds, a day at most. A missing or invalid one counts as a minute. */
function lifeSeconds(value: unknown): number {
  const seconds = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof seconds !== 'number' || !(seconds > 0)) return LIFE_SECONDS_ASSUMED;
  return Math.min(seconds, LIFE_SECONDS_MAX);
}
