import type { Config } from '../config/load-config.js';
import { retryAfterSeconds } from '../http/header-values.js';
import type { IncomingAnswer } from '../http/outgoing/exchange.js';
import { readJsonObject } from './upstream-answer.js';

export const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json' };

/** A day: what lives longer is asked for again sooner. */
const LIFE_SECONDS_MAX = 86_400;
const LIFE_SECONDS_ASSUMED = 60;
/** An issuer that asks for more patience is asked again all the same: everything waits for it. */
const RETRY_AFTER_SECONDS_MAX = 60;

export type CredentialSettings = Pick<
  Config,
  'PARTNER_CLIENT_ID' | 'PARTNER_AUDIENCE' | 'PARTNER_TOKEN_REQUEST'
>;

/** A token, and its life from when it was requested. */
export interface TokenGrant {
  readonly accessToken: string;
  readonly lifeSeconds: number;
}

/** The result of a request for a partner token. A refusal says whether the credentials were refused. */
export type PartnerTokenAnswer =
  | ({ readonly kind: 'granted' } & TokenGrant)
  | {
      readonly kind: 'refused';
      readonly reason: string;
      readonly credentials: boolean;
      readonly retryAfterSeconds?: number | undefined;
    };

/** Reads the issuer's answer. A missing or invalid life counts as a minute. */
export function readPartnerToken(answer: IncomingAnswer, clientSecret: string): PartnerTokenAnswer {
  const body = readJsonObject(answer) ?? {};
  if (answer.status !== 200) {
    const credentials = answer.status === 401 || body['error'] === 'invalid_client';
    const wait = retryAfterSeconds(answer.headers['retry-after'], Date.now());
    const seconds = wait === undefined ? undefined : Math.min(wait, RETRY_AFTER_SECONDS_MAX);
    return { kind: 'refused', reason: `status ${answer.status}`, credentials, retryAfterSeconds: seconds };
  }
  const accessToken = bearerTokenOf(body);
  if (accessToken === undefined || accessToken === clientSecret) {
    return { kind: 'refused', reason: 'the answer is not a bearer token', credentials: false };
  }
  const { expires_in: value } = body;
  const life = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  const isLife = typeof life === 'number' && life > 0;
  const lifeSeconds = isLife ? Math.min(life, LIFE_SECONDS_MAX) : LIFE_SECONDS_ASSUMED;
  return { kind: 'granted', accessToken, lifeSeconds };
}

/** Reads the upstream's; undefined for a token without a life, of another scope than asked, or that is the partner's. */
export function readBrowserToken(
  answer: IncomingAnswer,
  scopes: readonly string[],
  partnerToken: string,
): TokenGrant | undefined {
  const grant = readJsonObject(answer) ?? {};
  const { expires_in: life, scope } = grant;
  const accessToken = bearerTokenOf(grant);
  if (accessToken === undefined || accessToken === partnerToken) return undefined;
  if (!Number.isSafeInteger(life) || (life as number) <= 0) return undefined;
  if (scope !== undefined && !isSameSet(scope, scopes)) return undefined;
  return { accessToken, lifeSeconds: Math.min(life as number, LIFE_SECONDS_MAX) };
}

/** The token in an answer of the type Bearer, fit for a header (RFC 6749 section 5.1, RFC 6750 section 2.1). */
function bearerTokenOf(grant: Readonly<Record<string, unknown>>): string | undefined {
  const { access_token: token, token_type: type } = grant;
  if (typeof token !== 'string' || !/^[\w.~+/=-]{1,16384}$/.test(token)) return undefined;
  return typeof type === 'string' && type.toLowerCase() === 'bearer' ? token : undefined;
}

function isSameSet(scope: unknown, scopes: readonly string[]): boolean {
  if (typeof scope !== 'string') return false;
  const granted = new Set(scope.split(' ').filter((name) => name !== ''));
  return granted.size === scopes.length && scopes.every((name) => granted.has(name));
}

/** Headers and body of the issuer's client-credentials request. */
export function encodeCredentials(settings: CredentialSettings, clientSecret: string) {
  const { PARTNER_CLIENT_ID, PARTNER_AUDIENCE: audience } = settings;
  const members = {
    grant_type: 'client_credentials',
    client_id: PARTNER_CLIENT_ID!,
    client_secret: clientSecret,
    ...(audience !== undefined && { audience }),
  };
  if (settings.PARTNER_TOKEN_REQUEST === 'json') {
    return { headers: { ...JSON_HEADERS }, body: JSON.stringify(members) };
  }
  const headers = { ...JSON_HEADERS, 'content-type': 'application/x-www-form-urlencoded' };
  return { headers, body: new URLSearchParams(members).toString() };
}
