import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv6, type Socket } from 'node:net';
import { parseCookie } from 'cookie';
import type { Config } from '../config/load-config.js';
import { isLoopbackHost } from '../config/values/url-forms.js';
import { BffError } from '../errors/bff-error.js';
import { isRepeated } from '../http/request-context.js';
import { TokenFault, type TokenFaultWord } from './token-fault.js';

/** The part of a request that authentication reads: Node's own, which is Fastify's `request.raw`. */
export type AuthenticationRequest = Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'method'> & {
  readonly socket?: Pick<Socket, 'remoteAddress'>;
};

/** What can hold a token besides the Authorization header, and whose pages and proxies may send it. */
export type RequestTokenSettings = Pick<
  Config,
  'END_USER_COOKIE' | 'END_USER_TOKEN_HEADER' | 'CORS_ORIGINS' | 'TRUST_PROXY'
>;

const TOKEN_BYTES_MAX = 8_192;
const BARE_OR_BEARER = /^(?:Bearer +)?([\w.~+/=-]+)$/i;
const BEARER = /^Bearer +([\w.~+/=-]+)$/i;

/**
 * Finds the token that a request carries: in the header that a proxy adds, the Authorization header (RFC 6750 section 2.1),
 * or the cookie. Each of them takes the place of those after it, a malformed one too.
 */
export class RequestTokens {
  private readonly proxies = new BlockList();

  constructor(private readonly settings: RequestTokenSettings) {
    for (const range of settings.TRUST_PROXY) {
      const [address = '', bits] = range.split('/');
      if (bits === undefined) this.proxies.addAddress(address, familyOf(address));
      else this.proxies.addSubnet(address, Number(bits), familyOf(address));
    }
  }

  /** @throws BffError `unauthenticated`, `csrf_failed` */
  read(request: AuthenticationRequest): string {
    const token = this.find(request);
    if (!token) throw new BffError('unauthenticated', { message: 'no_token' satisfies TokenFaultWord });
    if (token.length > TOKEN_BYTES_MAX) throw new TokenFault('token_too_long');
    return token;
  }

  private find(request: AuthenticationRequest): string | undefined {
    const { headers } = request;
    const { END_USER_TOKEN_HEADER: name, END_USER_COOKIE: cookie } = this.settings;
    if (name !== undefined && headers[name] && this.isFromProxy(request)) {
      this.refuseForged(request); // the proxy knows the user by a cookie of its own
      return readHeader(name, BARE_OR_BEARER, request);
    }
    // needs no defence, since browsers never add it on their own
    if (headers.authorization !== undefined) return readHeader('authorization', BEARER, request);
    const token = cookie === undefined ? undefined : parseCookie(headers.cookie ?? '')[cookie];
    if (token) this.refuseForged(request, true);
    return token;
  }

  private isFromProxy({ socket }: AuthenticationRequest): boolean {
    const address = socket?.remoteAddress;
    return address !== undefined && this.proxies.check(address, familyOf(address));
  }

  /**
   * Refuses a write of a page that is neither ours nor listed: a browser sends a cookie with any page's request, names the
   * page's origin, and lets only pages of ours add a header.
   */
  private refuseForged({ method, headers }: AuthenticationRequest, isMarkNeeded = false): void {
    if (method === 'GET' || method === 'HEAD') return;
    const { origin, host, 'sec-fetch-site': site, 'x-csrf': mark } = headers;
    const isMarked = mark === '1' && origin !== undefined;
    const isOurs = origin === undefined || this.settings.CORS_ORIGINS.includes(origin) || isOwn(origin, host);
    if (!isOurs || site === 'cross-site' || (isMarkNeeded && !isMarked)) throw new BffError('csrf_failed');
  }
}

function readHeader(name: string, form: RegExp, request: AuthenticationRequest): string | undefined {
  if (isRepeated(name, request.rawHeaders)) throw new TokenFault('several_tokens');
  const value = String(request.headers[name]);
  if (value.length > TOKEN_BYTES_MAX + 'Bearer '.length) throw new TokenFault('token_too_long');
  return form.exec(value)?.[1];
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

/** Plain http is never our origin, whatever terminates TLS in front of us, except on loopback. */
function isOwn(origin: string, host: string | undefined): boolean {
  const url = URL.parse(origin);
  if (!url || url.host !== host) return false;
  return url.protocol === 'https:' || isLoopbackHost(url.hostname);
}
