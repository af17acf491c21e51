import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv6, type Socket } from 'node:net';
import { parseCookie } from 'cookie';
import type { Config } from '../config/load-config.js';
import { isLoopbackHost } from '../config/values/url-forms.js';
import { BffError, type BffErrorDetails } from '../errors/bff-error.js';
import { isRepeated } from '../http/is-repeated.js';
import type { TokenFaultWord } from './token-fault.js';

/** The part of a request that authentication reads: Node's own, which is Fastify's `request.raw`. */
export type AuthenticationRequest = Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'method'> & {
  readonly socket?: Pick<Socket, 'remoteAddress'>;
};

/** What can hold a token besides the Authorization header, and whose pages and proxies may send it. */
export type RequestTokenSettings = Pick<
  Config,
  'END_USER_COOKIE' | 'END_USER_TOKEN_HEADER' | 'CORS_ORIGINS' | 'TRUST_PROXY'
>;

const NO_TOKEN: TokenFaultWord = 'no_token';
const TOKEN_BYTES_MAX = 8_192;
const BARE_OR_BEARER = /^(?:Bearer +)?([\w.~+/=-]+)$/i;
const BEARER = /^Bearer +([\w.~+/=-]+)$/i;

/**
 * Finds the token that a request carries: in the header that a proxy adds, the Authorization header (RFC 6750 section 2.1),
 * or the cookie. Each of them takes the place of those after it, a malformed one too.
 */
export class RequestTokens {
  private readonly proxies: BlockList;

  constructor(private readonly settings: RequestTokenSettings) {
    this.proxies = listOf(settings.TRUST_PROXY);
  }

  /** @throws BffError `unauthenticated`, `csrf_failed` */
  read(request: AuthenticationRequest): string {
    const token = this.forwarded(request) ?? this.own(request);
    if (token === undefined) throw new BffError('unauthenticated', { message: NO_TOKEN });
    if (token.length > TOKEN_BYTES_MAX) throw refusal('token_too_long');
    return token;
  }

  /** The caller's own; the Authorization header needs no defence, since browsers never add it on their own. */
  private own(request: AuthenticationRequest): string | undefined {
    const { authorization } = request.headers;
    return authorization === undefined
      ? readCookie(request, this.settings)
      : readHeader('authorization', BEARER, request);
  }

  /** The proxy knows the user by a cookie of its own, which browsers send with any page's request. */
  private forwarded(request: AuthenticationRequest): string | undefined {
    const { END_USER_TOKEN_HEADER: name, CORS_ORIGINS } = this.settings;
    if (name === undefined || !request.headers[name] || !this.isProxy(request.socket?.remoteAddress)) {
      return undefined;
    }
    const token = readHeader(name, BARE_OR_BEARER, request);
    if (token === undefined) throw new BffError('unauthenticated', { message: NO_TOKEN });
    if (isWrite(request)) refuseElsewhere(request, CORS_ORIGINS);
    return token;
  }

  private isProxy(address: string | undefined): boolean {
    return address !== undefined && this.proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  }
}

/** @param ranges addresses, or CIDR ranges */
function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
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

function readHeader(
  name: string,
  form: RegExp,
  { headers, rawHeaders }: AuthenticationRequest,
): string | undefined {
  if (isRepeated(name, rawHeaders)) throw refusal('several_tokens');
  const value = String(headers[name]);
  if (value.length > TOKEN_BYTES_MAX + 'Bearer '.length) throw refusal('token_too_long');
  return form.exec(value)?.[1];
}

function readCookie(
  request: AuthenticationRequest,
  { END_USER_COOKIE: name, CORS_ORIGINS: origins }: RequestTokenSettings,
): string | undefined {
  const header = request.headers.cookie;
  if (name === undefined || header === undefined) return undefined;
  const token = parseCookie(header)[name];
  if (!token) return undefined;
  if (isWrite(request)) refuseForged(request, origins);
  return token;
}

function isWrite({ method }: AuthenticationRequest): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/** A browser sends the cookie with any page's request; only our own pages can add the header and have that Origin. */
function refuseForged(request: AuthenticationRequest, origins: readonly string[]): void {
  const { origin, 'x-csrf': mark } = request.headers;
  if (mark !== '1' || origin === undefined) throw new BffError('csrf_failed');
  refuseElsewhere(request, origins);
}

/** Refuses what a browser sends for a page that is neither ours nor listed; it always names the page's origin. */
function refuseElsewhere({ headers }: AuthenticationRequest, origins: readonly string[]): void {
  const { origin, host } = headers;
  const allowed = origin === undefined || origins.includes(origin) || isOwn(origin, host);
  if (!allowed || headers['sec-fetch-site'] === 'cross-site') throw new BffError('csrf_failed');
}

/** Plain http is never our origin, whatever terminates TLS in front of us, except on loopback. */
function isOwn(origin: string, host: string | undefined): boolean {
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  return url.host === host && (url.protocol === 'https:' || isLoopbackHost(url.hostname));
}
