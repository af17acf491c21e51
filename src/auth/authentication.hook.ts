import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import proxyAddr from '@fastify/proxy-addr';
import { Inject, Injectable } from '@nestjs/common';
import { parseCookie } from 'cookie';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { Default } from '../config/default.js';
import { CONFIG, type Config } from '../config/load-config.js';
import { isLoopbackHost } from '../config/values/url-forms.js';
import { BffError } from '../errors/bff-error.js';
import { MACHINE_ROLE, type EndUser } from '../http/end-user.js';
import { isRepeated } from '../http/header-values.js';
import { STRANGER_BODY_BYTES_MAX } from '../http/incoming/request-body.js';
import { EndUserStrategy } from './end-user-strategy.js';
import { KeySource } from './keys/key-source.js';
import { TokenFault, type TokenFaultWord } from './token-fault.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Who may call: an authenticated end user; anyone, with the end user known where there is one; or anyone (the route
     * then authenticates by other means, or needs none).
     */
    access?: 'end-user' | 'optional-end-user' | 'open';
  }
}

type AuthenticationRequest = Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'method'> & {
  readonly socket?: Pick<Socket, 'remoteAddress'>;
};

type RequestTokenSettings = Pick<
  Config,
  'END_USER_COOKIE' | 'END_USER_TOKEN_HEADER' | 'CORS_ORIGINS' | 'TRUST_PROXY'
>;

/** How long a verified token is trusted before it is verified again. */
const REMEMBER_MS = 60_000;
/** With its claims, one of 8 KiB takes some 30 kB. */
const REMEMBERED_MAX = 5_000;
const TOKEN_BYTES_MAX = 8_192;
const BARE_OR_BEARER = /^(?:Bearer +)?([\w.~+/=-]+)$/i;
const BEARER = /^Bearer +([\w.~+/=-]+)$/i;

/**
 * Finds out who sends a request, before its body is read. A verified token is remembered for at most a minute under the
 * SHA-256 of the whole, so that any changed byte makes it another; only who the user is, never what the user may do.
 */
@Injectable()
export class Authentication {
  /** With the generation of the keys that verified it. */
  private readonly remembered = new LRUCache<string, { user: EndUser; generation: unknown }>({
    max: REMEMBERED_MAX,
    ttl: REMEMBER_MS,
    ttlResolution: 0,
  });
  private readonly tokens: RequestTokens;

  constructor(
    private readonly strategy: EndUserStrategy,
    private readonly keys: KeySource,
    @Inject(CONFIG) settings: RequestTokenSettings,
    @Default() private readonly now: () => number = Date.now,
  ) {
    this.tokens = new RequestTokens(settings);
  }

  /**
   * Puts every route registered from now on behind one guard, and refuses to register one that does not declare who may
   * call it.
   */
  guard(listener: FastifyInstance): void {
    listener.addHook('onRoute', ({ method, url, config }) => {
      if (config?.access === undefined) throw new Error(`route ${String(method)} ${url} declares no access`);
    });
    listener.addHook('onRequest', (request, _reply, done) => {
      const { access } = request.context.config;
      if (access === 'open' || request.is404) return done();
      this.identify(request, (fault) =>
        done(access === 'optional-end-user' ? admitStranger(request, fault) : fault),
      );
    });
  }

  /**
   * Synchronous for a token that is remembered.
   * @throws BffError `unauthenticated`; `csrf_failed`; `unavailable` while there are no keys to verify with
   */
  authenticate(request: AuthenticationRequest): EndUser | Promise<EndUser> {
    const token = this.tokens.read(request);
    const digest = hash('sha256', token, 'base64');
    const { generation } = this.keys;
    const known = this.remembered.get(digest);
    if (known && known.generation === generation && this.now() < known.user.expiresAt) return known.user;
    return this.strategy.verify(token).then((user) => {
      this.remembered.set(digest, { user, generation });
      return user;
    });
  }

  private identify(request: FastifyRequest, done: (fault?: Error) => void): void {
    const admit = (user: EndUser): void => {
      const { context } = request;
      context.user = user;
      if (user.isMachine) context.notes.roles = [MACHINE_ROLE];
      done();
    };
    try {
      const user = this.authenticate(request.raw);
      if (user instanceof Promise) user.then(admit, done);
      else admit(user);
    } catch (error) {
      done(error as Error);
    }
  }
}

/**
 * Finds the token of a request: in the header that a proxy adds, the Authorization header (RFC 6750 section 2.1), or
 * the cookie. Each takes the place of those after it, a malformed one too.
 */
class RequestTokens {
  private readonly isProxy: (address: string, hop: number) => boolean;

  constructor(private readonly settings: RequestTokenSettings) {
    this.isProxy = proxyAddr.compile([...settings.TRUST_PROXY]);
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
    return this.isProxy(socket?.remoteAddress ?? '', 0);
  }

  /**
   * Refuses a write of a foreign page: a browser sends a cookie with any page's request, names the page's origin, and
   * lets only pages of ours add a header.
   */
  private refuseForged({ method, headers }: AuthenticationRequest, isMarkNeeded = false): void {
    if (method === 'GET' || method === 'HEAD') return;
    const { origin, host, 'sec-fetch-site': site, 'x-csrf': mark } = headers;
    const isMarked = mark === '1' && origin !== undefined;
    const isFromOurs = (page: string): boolean =>
      this.settings.CORS_ORIGINS.includes(page) || isOwn(page, host);
    const isOurs = origin === undefined ? site !== 'cross-site' : isFromOurs(origin);
    if (!isOurs || (isMarkNeeded && !isMarked)) throw new BffError('csrf_failed');
  }
}

function readHeader(name: string, form: RegExp, request: AuthenticationRequest): string | undefined {
  if (isRepeated(name, request.rawHeaders)) throw new TokenFault('several_tokens');
  return form.exec(String(request.headers[name]))?.[1];
}

/** Plain http is never our origin, whatever terminates TLS in front of us, except on loopback. */
function isOwn(origin: string, host: string | undefined): boolean {
  const url = URL.parse(origin);
  if (!url || url.host !== host) return false;
  return url.protocol === 'https:' || isLoopbackHost(url.hostname);
}

/** Notes why there is no user. The refusal of a body that is declared too large remains, and so does a fault of ours. */
function admitStranger(request: FastifyRequest, fault: Error | undefined): Error | undefined {
  if (!(fault instanceof BffError)) return fault;
  request.context.userRefusal = fault;
  return Number(request.headers['content-length'] ?? 0) > STRANGER_BODY_BYTES_MAX ? fault : undefined;
}
