import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { cacheBounds } from '../concurrency/cache-bounds.js';
import { SingleFlight } from '../concurrency/single-flight.js';
import { Default } from '../config/default.js';
import { CONFIG, type Config } from '../config/load-config.js';
import { BffError } from '../errors/bff-error.js';
import { Conditions } from '../telemetry/conditions/conditions.js';
import { Metrics, type CountedCache } from '../telemetry/metrics.js';
import {
  BrowserTokenEndpoint,
  type BrowserTokenAnswer,
  type BrowserTokenRequest,
  InvalidGrant,
} from '../upstream/browser-token-endpoint.js';
import type { RequestContext } from '../http/request-context.js';
import { sharedTupleKey, tupleKey } from './cache-key.js';
import { CachedTokens, type CachedToken } from './cached-tokens.js';
import { MintLimit } from './mint-limit.js';
import { PartnerTokens } from './partner-tokens.js';
import { SharedTokens, type StoredToken } from './shared-tokens.js';
import { TokenDrops } from './token-drops.js';
import { REPLACEMENT_HOLD_MS, useToken } from './use-token.js';

const NOTES_MAX = 10_000;
const USEFUL_MS = 300_000;
const USEFUL_SHARE = 0.25;
/** Tokens of changed hirers that are dropped before other work has its turn. */
const DROPPED_AT_ONCE = 500;

/** A browser token as it is handed out. */
export interface BrowserToken {
  readonly accessToken: string;
  /** Epoch milliseconds; counted from before the token was requested, so never later than its real expiry. */
  readonly expiresAt: number;
  /** First half of the token's SHA-256, to find it again in the audit trail. */
  readonly tokenHash: string;
  readonly source: 'cache' | 'upstream';
}

/**
 * Browser tokens: minted by the upstream for one user, one hirer and exactly the requested scopes (interface 4.2),
 * cached while enough of their lifetime is left, with one mint for all waiting callers. The caller has already
 * established that the user belongs to the hirer and may have the scopes: nothing is decided here.
 */
@Injectable()
export class BrowserTokens implements CountedCache {
  private readonly cached = new CachedTokens();
  private readonly mints = new SingleFlight<BrowserToken>();
  /** Tokens of one upstream and partner are never served for another: every key begins with this. */
  private readonly keyStart: string;
  /** Keys whose next token replaces a refused one. */
  private readonly replacing = new LRUCache<string, true>(cacheBounds(NOTES_MAX));
  private readonly dropped = new TokenDrops();
  private readonly answers;
  hits = 0;
  misses = 0;

  constructor(
    @Inject(CONFIG) { UPSTREAM_URL, PARTNER_CLIENT_ID }: Pick<Config, 'UPSTREAM_URL' | 'PARTNER_CLIENT_ID'>,
    private readonly endpoint: BrowserTokenEndpoint,
    private readonly partnerTokens: PartnerTokens,
    private readonly shared: SharedTokens,
    private readonly mintLimit: MintLimit,
    metrics: Metrics,
    conditions: Conditions,
    @Default() private readonly now: () => number = Date.now,
  ) {
    this.keyStart = tupleKey([UPSTREAM_URL!.href, PARTNER_CLIENT_ID!]);
    metrics.cache('browser_tokens', this);
    this.answers = conditions.calls('upstream-failing', 'token answers');
  }

  /**
   * A token for exactly this request.
   * @returns synchronously when a useful one is in memory
   * @throws BffError `rate_limited`, `unavailable`, `hirer_not_connected`, `upstream_error` or `upstream_timeout`
   */
  get(request: BrowserTokenRequest, context: RequestContext): BrowserToken | Promise<BrowserToken> {
    const key = this.keyOf(request);
    const cached = this.cached.get(key);
    if (cached && this.isUseful(cached)) {
      this.hits += 1;
      return toBrowserToken(cached, 'cache');
    }
    this.misses += 1;
    const dropped = this.dropped.last(request.hirerId, request.userId);
    const mintKey = dropped ? `${dropped.number} ${key}` : key; // a mint from before serves no later caller
    const underWay = this.mints.get(mintKey);
    if (underWay) return context.waitFor(underWay);
    return this.mints.run(mintKey, () => this.obtain(key, request, context));
  }

  /** Tokens in memory. */
  get size(): number {
    return this.cached.size;
  }

  /**
   * Makes the next caller get another token than this one, which the upstream did not accept, unless another one is
   * current by now, or this one replaced a refused one less than 5 s ago. The current one may be another replica's,
   * which would be the next to be used.
   * @returns whether to get a token and send again; false when the refusal is to be passed on
   */
  async replace(request: BrowserTokenRequest, accessToken: string): Promise<boolean> {
    const key = this.keyOf(request);
    const shareKey = sharedTupleKey('browser-token', key);
    const current = this.cached.get(key) ?? (await this.shared.get(shareKey));
    if (current?.accessToken !== accessToken) return true;
    if (this.isHeld(current)) return false;
    const cached = this.cached.get(key);
    if (cached?.accessToken === accessToken) this.cached.delete(key, cached);
    this.replacing.set(key, true);
    await this.shared.drop(shareKey, current);
    return true;
  }

  /**
   * Drops every token for these hirers, including those being minted: what their tokens may do has changed. Other work
   * has its turn in between. Resolves when memory and the shared cache hold none of them: a copy of another replica's is
   * dropped by that one, and never taken from the shared cache.
   * @param at epoch milliseconds; what another replica requested before is not taken
   */
  async dropHirers(hirerIds: readonly string[], at = this.now()): Promise<void> {
    await this.drop(hirerIds, at, (hirerId) => this.cached.ofHirer(hirerId));
  }

  /**
   * Drops every token of these users, as {@link dropHirers} does of hirers. A sealed copy in the shared cache that this
   * replica does not hold too is left to expire, or to the replica that holds it.
   * @param userIds pseudonyms
   */
  async dropUsers(userIds: readonly string[]): Promise<void> {
    await this.drop(userIds, this.now(), (userId) => this.cached.ofUser(userId));
  }

  private async drop(
    owners: readonly string[],
    at: number,
    tokensOf: (owner: string) => Iterable<[key: string, token: CachedToken]>,
  ): Promise<void> {
    for (const owner of owners) this.dropped.note(owner, at);
    const removed: [key: string, token: CachedToken][] = [];
    for (const owner of owners) {
      for (const [key, token] of tokensOf(owner)) {
        this.cached.delete(key, token);
        if (removed.push([key, token]) % DROPPED_AT_ONCE === 0) await nextTurn();
      }
    }
    for (let start = 0; start < removed.length; start += DROPPED_AT_ONCE) {
      await nextTurn();
      const some = removed.slice(start, start + DROPPED_AT_ONCE);
      await Promise.all(
        some.map(([key, token]) => this.shared.drop(sharedTupleKey('browser-token', key), token)),
      );
    }
  }

  /** The key of the tuple of upstream, partner, hirer, user and scopes. */
  private keyOf({ hirerId, userId, scopes }: BrowserTokenRequest): string {
    return this.keyStart + tupleKey([hirerId, userId, ...scopes]);
  }

  /** A token of a later time is one from before the clock was set back: nobody knows how long it lives. */
  private isUseful({ issuedAt, expiresAt }: StoredToken): boolean {
    const now = this.now();
    return issuedAt <= now && expiresAt - now >= Math.min(USEFUL_MS, (expiresAt - issuedAt) * USEFUL_SHARE);
  }

  /** Replicas' clocks may differ by as long as a hold; one that ends later is from before the clock was set back. */
  private isHeld({ heldUntil = 0 }: StoredToken): boolean {
    const leftMs = heldUntil - this.now();
    return leftMs > 0 && leftMs <= 2 * REPLACEMENT_HOLD_MS;
  }

  /** From another replica when one has it, else from the upstream. */
  private async obtain(
    key: string,
    request: BrowserTokenRequest,
    context: RequestContext,
  ): Promise<BrowserToken> {
    const shareKey = sharedTupleKey('browser-token', key);
    const { hirerId, userId } = request;
    const dropped = this.dropped.last(hirerId, userId);
    const isCurrent = (): boolean => this.dropped.last(hirerId, userId) === dropped;
    const find = async (): Promise<BrowserToken | undefined> => {
      const stored = await this.shared.get(shareKey);
      const isYounger = stored && stored.issuedAt > (dropped?.at ?? -Infinity);
      if (!isYounger || !this.isUseful(stored) || !isCurrent()) return undefined;
      const heldUntil = this.takeHold(key, stored.heldUntil);
      return this.keep(key, { ...withHash(stored), heldUntil, hirerId, userId }, 'cache');
    };
    const make = async (): Promise<BrowserToken> => {
      await this.checkMintLimit(request);
      const minted = await this.mint(request, context);
      if (!isCurrent()) return toBrowserToken(withHash(minted), 'upstream');
      const shared = this.shared.put(shareKey, { ...minted, heldUntil: this.takeHold(key) });
      return this.keep(key, { ...withHash(shared), hirerId, userId }, 'upstream');
    };
    return (await find()) ?? make();
  }

  /**
   * Until when the next token of a key is not dropped: longer than it is `known` to be if it replaces a refused one, which
   * is true of one token only.
   */
  private takeHold(key: string, known = 0): number {
    return this.replacing.delete(key) ? this.now() + REPLACEMENT_HOLD_MS : known;
  }

  private keep(key: string, token: CachedToken, source: BrowserToken['source']): BrowserToken {
    this.cached.set(key, token);
    return toBrowserToken(token, source);
  }

  private async checkMintLimit({ userId, hirerId }: BrowserTokenRequest): Promise<void> {
    await this.mintLimit.admit(tupleKey([userId, hirerId]));
  }

  private async mint(request: BrowserTokenRequest, context: RequestContext): Promise<StoredToken> {
    let issuedAt = 0;
    const answer = await useToken(this.partnerTokens, context, {
      refusedBy: 'token-endpoint',
      send: (partnerToken) => {
        issuedAt = this.now();
        return this.ask(request, partnerToken, context);
      },
      isRefused: ({ kind }) => kind === 'unauthenticated',
    });
    if (answer.kind === 'granted') {
      const { accessToken, lifeSeconds } = answer;
      return { accessToken, issuedAt, expiresAt: issuedAt + lifeSeconds * 1000 };
    }
    throw new BffError('upstream_error', { message: 'the upstream refused two fresh partner tokens' });
  }

  private async ask(
    request: BrowserTokenRequest,
    partnerToken: string,
    context: RequestContext,
  ): Promise<BrowserTokenAnswer> {
    const answer = await this.endpoint
      .requestToken(request, partnerToken, context)
      .catch((error: unknown) => {
        if (error instanceof InvalidGrant) this.answers.failed('no token that can be used');
        throw error;
      });
    if (answer.kind === 'granted') {
      this.answers.succeeded();
      this.partnerTokens.confirm(partnerToken);
    } else {
      this.answers.failed('the partner token is refused');
    }
    return answer;
  }
}

function withHash<T extends StoredToken>(token: T): T & { readonly tokenHash: string } {
  return { ...token, tokenHash: hash('sha256', token.accessToken).slice(0, 32) };
}

function toBrowserToken(
  { accessToken, expiresAt, tokenHash }: StoredToken & Pick<CachedToken, 'tokenHash'>,
  source: BrowserToken['source'],
): BrowserToken {
  return { accessToken, expiresAt, tokenHash, source };
}
