import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { compactVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import passport, { type AuthenticateCallback } from 'passport';
import { Default } from '../config/default.js';
import { CONFIG } from '../config/load-config.js';
import { EDDSA } from '../config/values/public-keys.js';
import { BffError } from '../errors/bff-error.js';
import { MACHINE_ROLE, type EndUser } from '../http/end-user.js';
import type {} from '../http/request-context.js';
import { EndUserStrategy, type TokenCheck } from './end-user-strategy.js';
import { KeySource } from './keys/key-source.js';
import { RequestTokens, type AuthenticationRequest, type RequestTokenSettings } from './request-token.js';
import type { VerifiedToken } from './token-claims.js';
import { TokenFault, tokenFaultWord } from './token-fault.js';
import { checkTokenHeader, claimedHeader } from './token-header.js';
import { UserIds } from './user-ids.js';

/**
 * The callers of a route: an authenticated end user; anyone, with the end user known where there is one; or anyone (the
 * route then authenticates by other means, or needs none).
 */
type RouteAccess = 'end-user' | 'optional-end-user' | 'open';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Every route of a guarded listener declares it. */
    access?: RouteAccess;
  }
}

const STRATEGY = 'end-user';
/** Largest body that is read from a caller without a valid token, on a route of access `optional-end-user`. */
const STRANGER_BODY_BYTES_MAX = 2_048;
/** How long a verified token is trusted before it is verified again. */
const REMEMBER_MS = 60_000;
/** With its claims, one of 8 KiB takes some 30 kB. */
const REMEMBERED_MAX = 5_000;

/**
 * Finds out who sends a request, before its body is read. A token is verified by {@link EndUserStrategy} when it is first
 * seen, then remembered for at most a minute under the SHA-256 of the whole token, so that any changed byte makes it
 * another token. Only the identity of the user is remembered, never what the user may do.
 */
@Injectable()
export class Authentication {
  private readonly remembered = new LRUCache<string, EndUser>({
    max: REMEMBERED_MAX,
    ttl: REMEMBER_MS,
    ttlResolution: 0,
  });
  /** Of the keys that verified what is remembered. */
  private generation = 0;
  /** Not the global passport: a process may run several services, each with its own keys. */
  private readonly passport = new passport.Passport();
  private readonly tokens: RequestTokens;

  constructor(
    private readonly strategy: EndUserStrategy,
    private readonly keys: KeySource,
    private readonly userIds: UserIds,
    @Inject(CONFIG) settings: RequestTokenSettings,
    @Default() private readonly now: () => number = Date.now,
  ) {
    this.passport.use(STRATEGY, strategy);
    this.tokens = new RequestTokens(settings);
  }

  /**
   * Puts every route registered from now on, Nest controllers included, behind one guard, and refuses to register a route
   * that does not declare who may call it. The guard runs synchronously for a token that is remembered. An unknown path is
   * also refused before its body is read.
   */
  guard(listener: FastifyInstance): void {
    listener.addHook('onRoute', ({ method, url, config }) => {
      if (config?.access === undefined) throw new Error(`route ${String(method)} ${url} declares no access`);
    });
    listener.addHook('onRequest', (request, _reply, done) => {
      if (request.is404) return done(new BffError('not_found'));
      const { access } = request.routeOptions.config;
      if (access === 'open') return done();
      this.identify(request, (fault) =>
        done(access === 'optional-end-user' ? admitStranger(request, fault) : fault),
      );
    });
  }

  /**
   * The end user behind the request; synchronously for a token that is remembered.
   * @throws BffError `unauthenticated`; `csrf_failed`; `unavailable` while there are no keys to verify with
   */
  authenticate(request: AuthenticationRequest): EndUser | Promise<EndUser> {
    const token = this.tokens.read(request);
    const digest = hash('sha256', token, 'base64');
    if (this.generation !== this.keys.generation) {
      this.remembered.clear();
      this.generation = this.keys.generation;
    }
    const known = this.remembered.get(digest);
    return known && this.now() < known.expiresAt ? known : this.verify(token, digest);
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

  private async verify(token: string, digest: string): Promise<EndUser> {
    const [{ generation }, now] = [this.keys, this.now()];
    try {
      const { claims, issuer, subject, expiresAt, notBefore } = await this.verifyByAnyKey(token);
      const userId = this.userIds.of(issuer, subject);
      const isMachine = this.userIds.isMachine(issuer, subject);
      const user: EndUser = { issuer, subject, userId, claims, expiresAt, ...(isMachine && { isMachine }) };
      const isValid = notBefore <= now && now < expiresAt && generation === this.keys.generation;
      if (isValid) this.remembered.set(digest, user);
      return user;
    } catch (error) {
      if (error instanceof BffError && !(error instanceof TokenFault)) throw error; // there are no keys
      throw new TokenFault(tokenFaultWord(error), { cause: error, fields: claimedHeader(token) });
    }
  }

  /** The token as the first key that signed it verifies it. */
  private async verifyByAnyKey(token: string): Promise<VerifiedToken> {
    const header = checkTokenHeader(token, this.keys.algorithms);
    for await (const key of this.keys.find(header)) {
      try {
        return await this.verifyBy({ token, header, key });
      } catch (error) {
        if (tokenFaultWord(error) !== 'wrong_signature') throw error;
      }
    }
    throw new TokenFault('wrong_signature');
  }

  /** Passport gives each run an object of its own, derived from the strategy, to report its outcome on. */
  private async verifyBy(check: TokenCheck): Promise<VerifiedToken> {
    if (check.header.alg === EDDSA) return this.strategy.validate(check, await verifyEdDsa(check));
    return new Promise((resolve, reject) => {
      const done: AuthenticateCallback = (error, verified, reason) =>
        verified ? resolve(verified as VerifiedToken) : reject((error ?? reason) as Error);
      const run = this.passport.authenticate(STRATEGY, { session: false }, done) as PassportHandler;
      run(check, {}, reject);
    });
  }
}

/** The handler passport makes; our strategy reads nothing of an HTTP request. */
type PassportHandler = (request: TokenCheck, response: object, next: (error?: unknown) => void) => void;

/**
 * The claims of a token with an Ed25519 signature, which jsonwebtoken under passport-jwt does not know.
 * @throws TokenFault; SyntaxError for claims that are not JSON
 */
async function verifyEdDsa({ token, key }: TokenCheck): Promise<Record<string, unknown>> {
  const { payload } = await compactVerify(token, key, { algorithms: [EDDSA] }).catch(() => {
    throw new TokenFault('wrong_signature');
  });
  return JSON.parse(Buffer.from(payload).toString('utf8')) as Record<string, unknown>;
}

/** Notes why there is no user. The refusal of a body that is declared too large remains, and so does a fault of ours. */
function admitStranger(request: FastifyRequest, fault: Error | undefined): Error | undefined {
  if (!(fault instanceof BffError)) return fault;
  request.context.userRefusal = fault;
  request.bodyBound = { bytesMax: STRANGER_BODY_BYTES_MAX, refusal: fault };
  return Number(request.headers['content-length'] ?? 0) > STRANGER_BODY_BYTES_MAX ? fault : undefined;
}
