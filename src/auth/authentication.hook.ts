import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { Default } from '../config/default.js';
import { CONFIG } from '../config/load-config.js';
import { BffError } from '../errors/bff-error.js';
import { MACHINE_ROLE, type EndUser } from '../http/end-user.js';
import type {} from '../http/request-context.js';
import { EndUserStrategy } from './end-user-strategy.js';
import { KeySource } from './keys/key-source.js';
import { RequestTokens, type AuthenticationRequest, type RequestTokenSettings } from './request-token.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Every route of a guarded listener declares its callers: an authenticated end user; anyone, with the end user known
     * where there is one; or anyone (the route then authenticates by other means, or needs none).
     */
    access?: 'end-user' | 'optional-end-user' | 'open';
  }
}

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
    const { generation } = this.keys;
    const user = await this.strategy.verify(token);
    if (generation === this.keys.generation) this.remembered.set(digest, user);
    return user;
  }
}

/** Notes why there is no user. The refusal of a body that is declared too large remains, and so does a fault of ours. */
function admitStranger(request: FastifyRequest, fault: Error | undefined): Error | undefined {
  if (!(fault instanceof BffError)) return fault;
  request.context.userRefusal = fault;
  request.bodyBound = { bytesMax: STRANGER_BODY_BYTES_MAX, refusal: fault };
  return Number(request.headers['content-length'] ?? 0) > STRANGER_BODY_BYTES_MAX ? fault : undefined;
}
