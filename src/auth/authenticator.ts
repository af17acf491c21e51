import { hash, type KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import passport, { type AuthenticateCallback } from 'passport';
import { cacheBounds } from '../concurrency/cache-bounds.js';
import { Default } from '../config/default.js';
import { CONFIG } from '../config/load-config.js';
import { BffError } from '../errors/bff-error.js';
import type { EndUser } from '../http/end-user.js';
import { Metrics, type CountedCache } from '../telemetry/metrics.js';
import { EndUserStrategy, type TokenCheck, type VerifiedToken } from './end-user-strategy.js';
import { KeySource } from './keys/key-source.js';
import {
  refusal,
  RequestTokens,
  type AuthenticationRequest,
  type RequestTokenSettings,
} from './request-token.js';
import { TokenFault, tokenFaultWord } from './token-fault.js';
import { checkTokenHeader, claimedHeader, type TokenHeader } from './token-header.js';
import { MachineSubjects } from './machine-subjects.js';
import { UserIds } from './user-ids.js';

const STRATEGY = 'end-user';
/** How long a verified token is trusted before it is verified again. */
const REMEMBER_MS = 60_000;
const REMEMBERED_MAX = 10_000;
const REMEMBERED_BYTES_MAX = 67_108_864;
const ENTRY_OVERHEAD_BYTES = 500;
/** Memory taken by parsed claims relative to the size of the token, roughly. */
const CLAIMS_FACTOR = 4;

interface Remembered {
  readonly user: EndUser;
  /** Of the keys that verified the token. */
  readonly generation: number;
  /** By the steady clock. */
  readonly until: number;
  /** In bytes, estimated upwards. */
  readonly size: number;
}

/**
 * Finds out who sends a request. A token is verified by {@link EndUserStrategy} when it is first seen, then remembered
 * for at most a minute under the SHA-256 of the whole token, so that any changed byte makes it another token. Only the
 * identity of the user is remembered, never what the user may do.
 */
@Injectable()
export class Authenticator implements CountedCache {
  private readonly remembered = new LRUCache<string, Remembered>(
    cacheBounds(REMEMBERED_MAX, REMEMBERED_BYTES_MAX, ({ size }) => size),
  );
  /** Not the global passport: a process may run several services, each with its own keys. */
  private readonly passport = new passport.Passport();
  private readonly tokens: RequestTokens;
  hits = 0;
  misses = 0;

  constructor(
    strategy: EndUserStrategy,
    private readonly keys: KeySource,
    private readonly userIds: UserIds,
    private readonly machines: MachineSubjects,
    @Inject(CONFIG) settings: RequestTokenSettings,
    metrics: Metrics,
    @Default() private readonly now: () => number = Date.now,
    /** Milliseconds of a clock that is never set. */
    @Default() private readonly steadyNow: () => number = () => performance.now(),
  ) {
    this.passport.use(STRATEGY, strategy);
    this.tokens = new RequestTokens(settings);
    metrics.cache('end_user_tokens', this);
  }

  /**
   * The end user behind the request; synchronously for a token that is remembered.
   * @throws BffError `unauthenticated`; `csrf_failed`; `unavailable` while there are no keys to verify with
   */
  authenticate(request: AuthenticationRequest): EndUser | Promise<EndUser> {
    const token = this.tokens.read(request);
    const digest = hash('sha256', token, 'base64');
    const known = this.remembered.get(digest);
    if (known && this.holds(known)) {
      this.hits += 1;
      return known.user;
    }
    this.misses += 1;
    return this.identify(token, digest);
  }

  /** Tokens that are remembered. */
  get size(): number {
    return this.remembered.size;
  }

  private holds({ user, generation, until }: Remembered): boolean {
    const isCurrent = generation === this.keys.generation && this.steadyNow() < until;
    return isCurrent && this.now() < user.expiresAt;
  }

  private async identify(token: string, digest: string): Promise<EndUser> {
    const { generation } = this.keys;
    const [now, steadyNow] = [this.now(), this.steadyNow()];
    try {
      const { claims, issuer, subject, expiresAt, notBefore } = await this.verify(token);
      const userId = this.userIds.of(issuer, subject);
      const isMachine = this.machines.has(issuer, subject);
      const user: EndUser = { issuer, subject, userId, claims, expiresAt, ...(isMachine && { isMachine }) };
      const until = steadyNow + REMEMBER_MS;
      const size = token.length * CLAIMS_FACTOR + ENTRY_OVERHEAD_BYTES;
      if (notBefore <= now && now < expiresAt) this.remembered.set(digest, { user, generation, until, size });
      return user;
    } catch (error) {
      if (error instanceof BffError) throw error;
      throw refusal(tokenFaultWord(error), { cause: error, fields: claimedHeader(token) });
    }
  }

  /**
   * Tries each key that fits. An issuer may replace a key under its id: when none verifies the token, those are tried that
   * have taken their place.
   */
  private async verify(token: string): Promise<VerifiedToken> {
    const header = checkTokenHeader(token, this.keys.algorithms);
    const found = await this.keys.find(header);
    const verified = await this.tryKeys(token, header, found);
    if (verified) return verified;
    const newer = (await this.keys.findNewer?.(header, found)) ?? [];
    const late = await this.tryKeys(token, header, newer);
    if (!late) throw new TokenFault('wrong_signature');
    return late;
  }

  /** The token as the first key that signed it verifies it; undefined if none did. */
  private async tryKeys(
    token: string,
    header: TokenHeader,
    keys: readonly KeyObject[],
  ): Promise<VerifiedToken | undefined> {
    for (const key of keys) {
      try {
        return await this.runStrategy({ token, header, key });
      } catch (error) {
        if (tokenFaultWord(error) !== 'wrong_signature') throw error;
      }
    }
    return undefined;
  }

  /** Passport gives each run an object of its own, derived from the strategy, to report its outcome on. */
  private runStrategy(check: TokenCheck): Promise<VerifiedToken> {
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
