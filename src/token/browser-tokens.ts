import { hash } from 'node:crypto';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SingleFlight } from '../concurrency/single-flight.js';
import { Default } from '../config/default.js';
import { CONFIG, type Config } from '../config/load-config.js';
import { BffError } from '../errors/bff-error.js';
import type { RequestContext } from '../http/request-context.js';
import { RateLimit } from '../storage/rate-limit.js';
import type { RedisConnection } from '../storage/redis/redis-connection.js';
import { REDIS } from '../storage/shared-cache.js';
import { Upstream, type BrowserTokenRequest } from '../upstream/upstream.js';
import { PartnerTokens } from './partner-tokens.js';
import { browserTokenKey, SharedTokens, type StoredToken } from './shared-tokens.js';
import { REPLACEMENT_HOLD_MS, sendWithToken } from './replace-refused-token.js';

const TOKENS_MAX = 50_000;
const TOKENS_BYTES_MAX = 67_108_864;
const ENTRY_OVERHEAD_BYTES = 700;
const REFUSED_MAX = 10_000;
const USEFUL_MS = 300_000;
const USEFUL_SHARE = 0.25;

/** A browser token as it is handed out. */
export interface BrowserToken {
  readonly accessToken: string;
  /** Epoch milliseconds; counted from before the token was requested, so never later than its real expiry. */
  readonly expiresAt: number;
  /** First half of the token's SHA-256, to find it again in the audit trail. */
  readonly tokenHash: string;
  readonly source: 'cache' | 'upstream';
}

type BrowserTokenSettings = Pick<
  Config,
  'UPSTREAM_URL' | 'PARTNER_CLIENT_ID' | 'RATE_LIMIT_MINTS_PER_MINUTE'
>;

interface CachedToken extends BrowserToken, StoredToken {
  readonly hirerId: string;
  readonly userId: string;
}

/**
 * Browser tokens: minted for one user, one hirer and exactly the requested scopes (interface 4.2), which the caller has
 * checked, and cached while enough of their life is left. Each drop begins an epoch: a token requested before it serves
 * callers that already wait, and is neither kept nor shared.
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
  /** By key, the refused token that the next one replaces. */
  private readonly refused = new LRUCache<string, string>({ max: REFUSED_MAX });
  /** Of a user at a hirer. */
  private readonly mintLimit: RateLimit;
  /** Tokens of one upstream and partner are never served for another: every key begins with this. */
  private readonly keyStart: string;
  private epoch = 0;
  /** Whatever another replica requested before is not taken, since it may be of those that were dropped. */
  private lastDropAt = -Infinity;

  constructor(
    @Inject(CONFIG) config: BrowserTokenSettings,
    private readonly upstream: Upstream,
    private readonly partnerTokens: PartnerTokens,
    private readonly shared: SharedTokens,
    @Default() private readonly now: () => number = Date.now,
    @Optional() @Inject(REDIS) redis?: RedisConnection,
  ) {
    this.keyStart = JSON.stringify([config.UPSTREAM_URL!.href, config.PARTNER_CLIENT_ID!]);
    this.mintLimit = new RateLimit('mints', config.RATE_LIMIT_MINTS_PER_MINUTE, redis);
  }

  /**
   * Synchronous when a useful token is in memory; waiting callers share one mint.
   * @throws BffError `rate_limited`, `unavailable`, `hirer_not_connected`, `upstream_error` or `upstream_timeout`
   */
  get(request: BrowserTokenRequest, context: RequestContext): BrowserToken | Promise<BrowserToken> {
    const key = this.keyOf(request);
    const cached = this.tokens.get(key);
    if (cached && this.isUseful(cached)) return cached;
    return this.mints.run(`${this.epoch} ${key}`, () => this.obtain(key, request, context));
  }

  /**
   * Makes the next caller get another token than this one, which the upstream did not accept. The current one may be
   * another replica's, which would be the next to be used.
   * @returns whether to send again; false when the refusal is to be passed on: the token replaced another less than 5 s
   * ago
   */
  async replace(request: BrowserTokenRequest, accessToken: string): Promise<boolean> {
    const key = this.keyOf(request);
    const sharedKey = browserTokenKey(request.userId, key);
    const current = this.tokens.get(key) ?? (await this.shared.get(sharedKey));
    if (current?.accessToken !== accessToken) return true;
    if (this.isHeld(current)) return false;
    if (this.tokens.peek(key)?.accessToken === accessToken) this.tokens.delete(key);
    this.refused.set(key, accessToken);
    await this.shared.drop(sharedKey, accessToken);
    return true;
  }

  /**
   * Drops every token for these hirers, those being minted too: what they may do has changed. Shared copies stay, and
   * are not taken if they were requested before `at` (epoch ms).
   */
  dropHirers(hirerIds: readonly string[], at = this.now()): void {
    if (hirerIds.length === 0) return;
    const dropped = new Set(hirerIds);
    this.drop(({ hirerId }) => dropped.has(hirerId), at);
  }

  /** As {@link dropHirers}, of users by their pseudonyms, with every copy that replicas share and what they minted. */
  async dropUsers(userIds: readonly string[]): Promise<void> {
    this.drop(({ userId }) => userIds.includes(userId), this.now());
    await this.shared.dropUsers(userIds);
    for (const userId of userIds) await this.mintLimit.forget(userId);
  }

  private drop(isDropped: (token: CachedToken) => boolean, at: number): void {
    this.epoch += 1;
    this.lastDropAt = Math.max(this.lastDropAt, at);
    const keys: string[] = [];
    this.tokens.forEach((token, key) => isDropped(token) && keys.push(key));
    for (const key of keys) this.tokens.delete(key);
  }

  private keyOf({ hirerId, userId, scopes }: BrowserTokenRequest): string {
    return this.keyStart + JSON.stringify([hirerId, userId, ...scopes]);
  }

  /** A token from the future was issued before the clock was set back, so its remaining life is unknown. */
  private isUseful({ issuedAt, expiresAt }: StoredToken): boolean {
    const now = this.now();
    return issuedAt <= now && expiresAt - now >= Math.min(USEFUL_MS, (expiresAt - issuedAt) * USEFUL_SHARE);
  }

  private isHeld({ isReplacement, issuedAt }: StoredToken): boolean {
    const ageMs = this.now() - issuedAt;
    return isReplacement === true && ageMs >= 0 && ageMs < REPLACEMENT_HOLD_MS;
  }

  /** From another replica if one has it, otherwise from the upstream. */
  private async obtain(
    key: string,
    request: BrowserTokenRequest,
    context: RequestContext,
  ): Promise<BrowserToken> {
    const { epoch } = this;
    const sharedKey = browserTokenKey(request.userId, key);
    const shared = await this.shared.get(sharedKey);
    const isGood =
      shared &&
      epoch === this.epoch &&
      this.isUseful(shared) &&
      shared.issuedAt > this.lastDropAt &&
      shared.accessToken !== this.refused.get(key);
    const token = isGood
      ? shared
      : { ...(await this.mint(request, context)), isReplacement: this.refused.delete(key) };
    const { hirerId, userId } = request;
    const tokenHash = hash('sha256', token.accessToken).slice(0, 32);
    const cached = { ...token, tokenHash, source: 'cache', hirerId, userId } as const;
    if (epoch === this.epoch) {
      this.tokens.set(key, cached);
      if (!isGood) this.shared.put(sharedKey, token);
    }
    return isGood ? cached : { ...cached, source: 'upstream' };
  }

  /** Asks the upstream, within the mint limit. A partner token that it refuses is replaced once. */
  private async mint(request: BrowserTokenRequest, context: RequestContext): Promise<StoredToken> {
    await this.partnerTokens.get(context); // without one nothing is asked of the upstream, and nothing is counted
    await this.mintLimit.admit(`${request.userId} ${request.hirerId}`);
    const ask = async (partnerToken: string): Promise<StoredToken | undefined> => {
      const issuedAt = this.now();
      const grant = await this.upstream.requestBrowserToken(request, partnerToken, context);
      if (!grant) return undefined;
      this.partnerTokens.confirm(partnerToken);
      return { accessToken: grant.accessToken, issuedAt, expiresAt: issuedAt + grant.lifeSeconds * 1000 };
    };
    const token = await sendWithToken(this.partnerTokens, context, ask, (one) => !one, 'token-endpoint');
    if (token) return token;
    throw new BffError('upstream_error', { message: 'the upstream refused two fresh partner tokens' });
  }
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
