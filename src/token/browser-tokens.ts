import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SingleFlight } from '../concurrency/single-flight.js';
import { Default } from '../config/default.js';
import { CONFIG, type Config } from '../config/load-config.js';
import type { RequestContext } from '../http/request-context.js';
import type { BrowserTokenRequest } from '../upstream/browser-token-endpoint.js';
import { BrowserTokenMint } from './browser-token-mint.js';
import { browserTokenKey, SharedTokens, type StoredToken } from './shared-tokens.js';
import { REPLACEMENT_HOLD_MS } from './token-renewal.js';

const TOKENS_MAX = 50_000;
const TOKENS_BYTES_MAX = 67_108_864;
const ENTRY_OVERHEAD_BYTES = 700;
const REFUSALS_MAX = 10_000;
const USEFUL_MS = 300_000;
const USEFUL_SHARE = 0.25;
/** Tokens that are dropped in one turn of the event loop. */
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

/** A browser token in memory. */
interface CachedToken extends BrowserToken, StoredToken {
  readonly source: 'cache';
  readonly hirerId: string;
  readonly userId: string;
}

/** The refusal of a key's token. */
interface Refusal {
  /** Of the refused token. */
  readonly tokenHash: string;
  /** Until then the token that replaces it is not replaced, epoch milliseconds. */
  readonly holdsUntil: number;
}

/**
 * Browser tokens: minted by the upstream for one user, one hirer and exactly the requested scopes (interface 4.2),
 * cached while enough of their lifetime is left, with one mint for all waiting callers. The caller has already
 * checked that the user belongs to the hirer and may have the scopes. Each drop begins an epoch: a token requested before
 * it serves callers that already wait, and is neither kept nor shared.
 */
@Injectable()
export class BrowserTokens {
  private readonly tokens = new LRUCache<string, CachedToken>({
    max: TOKENS_MAX,
    maxSize: TOKENS_BYTES_MAX,
    sizeCalculation: ({ accessToken, hirerId }, key) =>
      key.length + accessToken.length + hirerId.length + ENTRY_OVERHEAD_BYTES,
  });
  private readonly mints = new SingleFlight<BrowserToken>();
  private readonly refusals = new LRUCache<string, Refusal>({ max: REFUSALS_MAX });
  /** Tokens of one upstream and partner are never served for another: every key begins with this. */
  private readonly keyStart: string;
  private epoch = 0;
  /** Whatever another replica requested before is not taken, since it may be of those that were dropped. */
  private lastDropAt = -Infinity;

  constructor(
    @Inject(CONFIG) { UPSTREAM_URL, PARTNER_CLIENT_ID }: Pick<Config, 'UPSTREAM_URL' | 'PARTNER_CLIENT_ID'>,
    private readonly mint: BrowserTokenMint,
    private readonly shared: SharedTokens,
    @Default() private readonly now: () => number = Date.now,
  ) {
    this.keyStart = JSON.stringify([UPSTREAM_URL!.href, PARTNER_CLIENT_ID!]);
  }

  /**
   * A token for exactly this request.
   * @returns synchronously when a useful one is in memory
   * @throws BffError `rate_limited`, `unavailable`, `hirer_not_connected`, `upstream_error` or `upstream_timeout`
   */
  get(request: BrowserTokenRequest, context: RequestContext): BrowserToken | Promise<BrowserToken> {
    const key = this.keyOf(request);
    const cached = this.tokens.get(key);
    if (cached && this.isUseful(cached)) return cached;
    const flight = `${this.epoch} ${key}`;
    const underWay = this.mints.get(flight);
    if (underWay) return underWay;
    return this.mints.run(flight, () => this.obtain(key, request, context));
  }

  /** Tokens in memory. */
  get size(): number {
    return this.tokens.size;
  }

  /**
   * Makes the next caller get another token than this one, which the upstream did not accept, unless another one is
   * current by now, or this one replaced a refused one less than 5 s ago. The current one may be another replica's,
   * which would be the next to be used.
   * @returns whether to get a token and send again; false when the refusal is to be passed on
   */
  async replace(request: BrowserTokenRequest, accessToken: string): Promise<boolean> {
    const key = this.keyOf(request);
    const sharedKey = browserTokenKey(request.userId, key);
    const current = this.tokens.get(key) ?? (await this.shared.get(sharedKey));
    if (current?.accessToken !== accessToken) return true;
    if (this.isHeld(current)) return false;
    if (this.tokens.peek(key)?.accessToken === accessToken) this.tokens.delete(key);
    this.refusals.set(key, {
      tokenHash: hashOf(accessToken),
      holdsUntil: this.now() + REPLACEMENT_HOLD_MS,
    });
    await this.shared.drop(sharedKey, accessToken);
    return true;
  }

  /**
   * Drops every token for these hirers, including those being minted: what their tokens may do has changed. Other work
   * has its turn in between. Resolves when memory and the shared cache hold none of them: a copy of another replica's is
   * dropped by that one, and never taken from the shared cache.
   * @param at epoch milliseconds; a token that another replica requested before is not used
   */
  async dropHirers(hirerIds: readonly string[], at = this.now()): Promise<void> {
    await this.drop(hirerIds, at);
  }

  /**
   * Drops every token of these users, as {@link dropHirers} does of hirers, and every copy that replicas share.
   * @param userIds pseudonyms
   */
  async dropUsers(userIds: readonly string[]): Promise<void> {
    await this.drop(userIds, this.now());
    await this.shared.dropUsers(userIds);
  }

  /** @param owners hirers or users; no hirer's identifier is a user's pseudonym */
  private async drop(owners: readonly string[], at: number): Promise<void> {
    if (owners.length === 0) return;
    const dropped = new Set(owners);
    this.epoch += 1;
    this.lastDropAt = Math.max(this.lastDropAt, at);
    const found: [key: string, token: CachedToken][] = [];
    for (const entry of this.tokens.entries()) {
      if (dropped.has(entry[1].hirerId) || dropped.has(entry[1].userId)) found.push(entry);
    }
    for (let start = 0; start < found.length; start += DROPPED_AT_ONCE) {
      const some = found.slice(start, start + DROPPED_AT_ONCE);
      for (const [key, token] of some) if (this.tokens.peek(key) === token) this.tokens.delete(key);
      await nextTurn();
      await Promise.all(
        some.map(([key, { userId, accessToken }]) =>
          this.shared.drop(browserTokenKey(userId, key), accessToken),
        ),
      );
    }
  }

  /** The key of the tuple of upstream, partner, hirer, user and scopes. */
  private keyOf({ hirerId, userId, scopes }: BrowserTokenRequest): string {
    return this.keyStart + JSON.stringify([hirerId, userId, ...scopes]);
  }

  /** A token from the future was issued before the clock was set back, so its remaining life is unknown. */
  private isUseful({ issuedAt, expiresAt }: StoredToken): boolean {
    const now = this.now();
    return issuedAt <= now && expiresAt - now >= Math.min(USEFUL_MS, (expiresAt - issuedAt) * USEFUL_SHARE);
  }

  /** Replicas' clocks may differ by as long as a hold; one that ends later is from before the clock was set back. */
  private isHeld({ heldUntil = 0 }: StoredToken): boolean {
    const leftMs = heldUntil - this.now();
    return leftMs > 0 && leftMs <= 2 * REPLACEMENT_HOLD_MS;
  }

  /** From another replica if one has it, otherwise from the upstream. */
  private async obtain(
    key: string,
    request: BrowserTokenRequest,
    context: RequestContext,
  ): Promise<BrowserToken> {
    const { epoch } = this;
    const sharedKey = browserTokenKey(request.userId, key);
    const found = await this.shared.get(sharedKey);
    if (found && epoch === this.epoch && this.isUseful(found) && found.issuedAt > this.lastDropAt) {
      const tokenHash = hashOf(found.accessToken);
      const wasRefused = this.refusals.get(key)?.tokenHash === tokenHash;
      if (!wasRefused) return this.keep(key, found, tokenHash, request);
    }
    const minted = await this.mint.mint(request, context);
    const tokenHash = hashOf(minted.accessToken);
    if (epoch === this.epoch) {
      const refusal = this.refusals.get(key);
      const heldUntil = refusal?.holdsUntil ?? 0;
      if (refusal) this.refusals.set(key, { ...refusal, holdsUntil: 0 }); // it holds for one token
      const held = { ...minted, heldUntil };
      this.shared.put(sharedKey, held);
      this.keep(key, held, tokenHash, request);
    }
    return { accessToken: minted.accessToken, expiresAt: minted.expiresAt, tokenHash, source: 'upstream' };
  }

  private keep(
    key: string,
    token: StoredToken,
    tokenHash: string,
    { hirerId, userId }: BrowserTokenRequest,
  ): CachedToken {
    const heldUntil = Math.max(token.heldUntil ?? 0, this.refusals.get(key)?.holdsUntil ?? 0);
    const cached = { ...token, heldUntil, tokenHash, source: 'cache', hirerId, userId } as const;
    this.tokens.set(key, cached);
    return cached;
  }
}

function hashOf(accessToken: string): string {
  return hash('sha256', accessToken).slice(0, 32);
}

/** Notes in the context which token the request uses. @param scopes those that the token was asked for */
export function noteToken(
  { source, expiresAt, tokenHash }: BrowserToken,
  scopes: readonly string[],
  { notes }: RequestContext,
): void {
  notes.scopesGranted = scopes;
  notes.source = source;
  notes.expiresAt = expiresAt;
  notes.tokenHash = tokenHash;
}
