import type { IncomingMessage } from 'node:http';
import { parseCookie } from 'cookie';
import type { Config } from '../config/load-config.js';
import { isLoopbackHost } from '../config/values/url-forms.js';
import { BffError, type BffErrorDetails } from '../errors/bff-error.js';
import { isRepeated } from '../http/is-repeated.js';
import type { TokenFaultWord } from './token-fault.js';

/** The part of a request that authentication reads: Node's own, which is Fastify's `request.raw`. */
export type AuthenticationRequest = Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'method'>;

/** The cookie that can replace the Authorization header, if any, and the origins that may send it. */
export type CookieSettings = Pick<Config, 'END_USER_COOKIE' | 'CORS_ORIGINS'>;

const NO_TOKEN: TokenFaultWord = 'no_token';
const TOKEN_BYTES_MAX = 8_192;
const BEARER = /^Bearer +([\w.~+/=-]+)$/i;

/**
 * The token a request carries (RFC 6750 section 2.1, or the cookie). The header takes precedence and needs no defence
 * against cross-site request forgery, since browsers never add it on their own.
 * @throws BffError `unauthenticated`, `csrf_failed`
 */
export function readRequestToken(request: AuthenticationRequest, settings: CookieSettings): string {
  const { authorization } = request.headers;
  const token =
    authorization === undefined ? readCookie(request, settings) : readBearer(authorization, request);
  if (token === undefined) throw new BffError('unauthenticated', { message: NO_TOKEN });
  if (token.length > TOKEN_BYTES_MAX) throw refusal('token_too_long');
  return token;
}

/**
 * A 401 for a token that was sent (RFC 6750 section 3.1). The reason goes only to log and audit trail.
 * @param fields what the token says about itself, for log and audit trail
 */
export function refusal(
  reason: TokenFaultWord,
  { cause, fields }: Pick<BffErrorDetails, 'cause' | 'fields'> = {},
): BffError {
  return new BffError('unauthenticated', {
    challenge: 'Bearer error="invalid_token"',
    message: reason,
    cause,
    ...(fields && { fields }),
  });
}

function readBearer(authorization: string, { rawHeaders }: AuthenticationRequest): string | undefined {
  if (isRepeated('authorization', rawHeaders)) throw refusal('several_tokens');
  if (authorization.length > TOKEN_BYTES_MAX + 'Bearer '.length) throw refusal('token_too_long');
  return BEARER.exec(authorization)?.[1];
}

function readCookie(
  request: AuthenticationRequest,
  { END_USER_COOKIE: name, CORS_ORIGINS: origins }: CookieSettings,
): string | undefined {
  const header = request.headers.cookie;
  if (name === undefined || header === undefined) return undefined;
  const token = parseCookie(header)[name];
  if (!token) return undefined;
  if (request.method !== 'GET' && request.method !== 'HEAD') refuseForged(request, origins);
  return token;
}

/** A browser sends the cookie with any page's request; only our own pages can add the header and have that Origin. */
function refuseForged({ headers }: AuthenticationRequest, origins: readonly string[]): void {
  const { origin, host } = headers;
  const allowed = origin !== undefined && (origins.includes(origin) || isOwn(origin, host));
  if (headers['x-csrf'] !== '1' || !allowed || headers['sec-fetch-site'] === 'cross-site') {
    throw new BffError('csrf_failed');
  }
}

/** Plain http is never our origin, whatever terminates TLS in front of us, except on loopback. */
function isOwn(origin: string, host: string | undefined): boolean {
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  return url.host === host && (url.protocol === 'https:' || isLoopbackHost(url.hostname));
}
