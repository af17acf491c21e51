import type { IncomingMessage } from 'node:http';
import { parseCookie } from 'cookie';
import { isLoopbackHost } from '../config/setting.js';
import { BffError, type BffErrorDetails } from '../errors/bff-error.js';

/** What authentication reads of a request; Node's own request, or Fastify's `request.raw`. */
export type AuthenticationRequest = Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'method'>;

/** How a cookie may stand in for the Authorization header. */
export interface CookiePolicy {
  /** `END_USER_COOKIE`; no cookie is read when undefined. */
  readonly cookie: string | undefined;
  /** `CORS_ORIGINS`. */
  readonly origins: readonly string[];
}

const TOKEN_BYTES_MAX = 8_192;
const BEARER = /^Bearer +([\w.~+/=-]+)$/i;

/**
 * The token a request carries (RFC 6750 section 2.1, or the cookie). The header wins, and needs no defence against
 * forged requests, since no browser sends it by itself.
 * @throws BffError `unauthenticated`, `csrf_failed`
 */
export function readRequestToken(request: AuthenticationRequest, policy: CookiePolicy): string {
  const { authorization } = request.headers;
  const token =
    authorization === undefined ? readCookie(request, policy) : readBearer(authorization, request);
  if (token === undefined) throw new BffError('unauthenticated', { message: 'no token was sent' });
  if (token.length > TOKEN_BYTES_MAX) throw refusal('token is too long');
  return token;
}

/**
 * A 401 for a token that was sent (RFC 6750 section 3.1). The reason goes to log and audit trail alone.
 * @param fields what the token said of itself, for the log
 */
export function refusal(
  reason: string,
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
  if (isRepeated('authorization', rawHeaders)) throw refusal('Authorization was sent more than once');
  if (authorization.length > TOKEN_BYTES_MAX + 'Bearer '.length) throw refusal('token is too long');
  return BEARER.exec(authorization)?.[1];
}

/** Node keeps the first of several such headers; a proxy in front may have looked at the last. */
function isRepeated(name: string, rawHeaders: readonly string[]): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index]!;
    if (header.length === name.length && header.toLowerCase() === name) count += 1;
  }
  return count > 1;
}

function readCookie(request: AuthenticationRequest, { cookie, origins }: CookiePolicy): string | undefined {
  const header = request.headers.cookie;
  if (cookie === undefined || header === undefined) return undefined;
  const token = parseCookie(header)[cookie];
  if (!token) return undefined;
  if (request.method !== 'GET' && request.method !== 'HEAD') refuseForged(request, origins);
  return token;
}

/** A browser sends the cookie with any page's request; only our pages can add the header and have such an Origin. */
function refuseForged({ headers }: AuthenticationRequest, origins: readonly string[]): void {
  const { origin, host } = headers;
  const allowed = origin !== undefined && (origins.includes(origin) || isOwn(origin, host));
  if (headers['x-csrf'] !== '1' || !allowed || headers['sec-fetch-site'] === 'cross-site') {
    throw new BffError('csrf_failed');
  }
}

/** Plain http is another origin than ours, whatever terminates TLS in front of us, unless nothing leaves this machine. */
function isOwn(origin: string, host: string | undefined): boolean {
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  return url.host === host && (url.protocol === 'https:' || isLoopbackHost(url.hostname));
}
