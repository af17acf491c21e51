import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { BffError } from '../errors/bff-error.js';
import type { CountedCache } from '../ops/metrics.js';
import type { RateLimit } from '../storage/rate-limit.js';
import type { BrowserTokenEndpoint, BrowserTokenRequest } from '../upstream/browser-token-endpoint.js';
import type { RequestContext } from '../upstream/request-context.js';
import { sharedKey, sharedTupleKey, tupleKey } from './cache-key.js';
import type { PartnerTokens } from './partner-tokens.js';
import type { SharedToken, SharedTokens } from './shared-tokens.js';

const TOKENS_MAX = 50_000;
const USEFUL_MS = 300_000;
const USEFUL_SHARE = 0.25;

/** A browser token as it is handed out. */
export interface BrowserToken {
  readonly accessToken: string;
  /** Epoch milliseconds; counted from before the token was asked for, so never later than its true end. */
  readonly expiresAt: number;
  /** First half of the token's SHA-256, to find it again in the audit trail. */
  readonly tokenHash: string;
  readonly source: 'cache' | 'upstream';
}

interface CachedToken extends SharedToken {
  readonly tokenHash: string;
}

/** Where browser tokens belong: tokens of one service are never served for another. */
export interface UpstreamIdentity {
  readonly baseUrl: string;
  readonly clientId: string;
}

/**
 * Browser tokens: minted by the upstream for one user, one hirer and exactly the scopes asked (interface 4.2), cached
 * as long as enough life is left, one mint for all who wait. Whoever calls has already established that the user
 * belongs to the hirer and may have the scopes: nothing is decided here.
 */
export class BrowserTokens implements CountedCache {
  private readonly cached = new LRUCache<string, CachedToken>({ max: TOKENS_MAX });
  private readonly pending = new Map<string, Promise<BrowserToken>>();
  hits = 0;
  misses = 0;

  constructor(
    private readonly identity: UpstreamIdentity,
    private readonly endpoint: BrowserTokenEndpoint,
    private readonly partnerTokens: PartnerTokens,
    private readonly shared: SharedTokens,
    private readonly mintLimit: RateLimit,
    private readonly now: () => number = Date.now,
  ) {}

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
    const underWay = this.pending.get(key);
    if (underWay) return context.waitFor(underWay);
    const pending = this.obtain(key, request, context).finally(() => this.pending.delete(key));
    this.pending.set(key, pending);
    return pending;
  }

  /** Tokens in memory. */
  get size(): number {
    return this.cached.size;
  }

  /** Forgets a token the upstream did not accept, unless another one is current by now. */
  async drop(request: BrowserTokenRequest, accessToken: string): Promise<void> {
    const key = this.keyOf(request);
    const cached = this.cached.get(key);
    if (cached?.accessToken !== accessToken) return;
    this.cached.delete(key);
    await this.shared.drop(sharedKey('browser-token', this.partsOf(request)), cached);
  }

  /** Forgets every token for a hirer: what its tokens may do has changed. */
  async dropHirer(hirerId: string): Promise<void> {
    const prefix = tupleKey([this.identity.baseUrl, this.identity.clientId, hirerId]);
    const found = [...this.cached.entries()].filter(([key]) => key.startsWith(prefix));
    for (const [key] of found) this.cached.delete(key);
    await Promise.all(
      found.map(([key, token]) => this.shared.drop(sharedTupleKey('browser-token', key), token)),
    );
  }

  private partsOf({ hirerId, userId, scopes }: BrowserTokenRequest): string[] {
    return [this.identity.baseUrl, this.identity.clientId, hirerId, userId, ...scopes];
  }

  private keyOf(request: BrowserTokenRequest): string {
    return tupleKey(this.partsOf(request));
  }

  private isUseful({ issuedAt, expiresAt }: SharedToken): boolean {
    return expiresAt - this.now() >= Math.min(USEFUL_MS, (expiresAt - issuedAt) * USEFUL_SHARE);
  }

  private async obtain(
    key: string,
    request: BrowserTokenRequest,
    context: RequestContext,
  ): Promise<BrowserToken> {
    const shareKey = sharedKey('browser-token', this.partsOf(request));
    const stored = await this.shared.get(shareKey);
    if (stored && this.isUseful(stored)) return this.keep(key, stored, 'cache');
    await this.checkMintLimit(request);
    return this.keep(key, this.shared.put(shareKey, await this.mint(request, context)), 'upstream');
  }

  private keep(key: string, token: SharedToken, source: BrowserToken['source']): BrowserToken {
    const cached = { ...token, tokenHash: hash('sha256', token.accessToken).slice(0, 32) };
    this.cached.set(key, cached);
    return toBrowserToken(cached, source);
  }

  private async checkMintLimit({ userId, hirerId }: BrowserTokenRequest): Promise<void> {
    const retryAfterSeconds = await this.mintLimit.take(tupleKey([userId, hirerId]));
    if (retryAfterSeconds !== undefined) throw new BffError('rate_limited', { retryAfterSeconds });
  }

  /** A partner token that is refused is replaced once; refused again, the fault is ours to mend. */
  private async mint(request: BrowserTokenRequest, context: RequestContext) {
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const partnerToken = await this.partnerTokens.get(context);
      const issuedAt = this.now();
      const answer = await this.endpoint.requestToken(request, partnerToken, context);
      if (answer.kind === 'granted') {
        const { accessToken, lifeSeconds } = answer;
        return { accessToken, issuedAt, expiresAt: issuedAt + lifeSeconds * 1000 };
      }
      await this.partnerTokens.drop(partnerToken);
    }
    throw new BffError('upstream_error', { message: 'the upstream refused two fresh partner tokens' });
  }
}

function toBrowserToken(token: CachedToken, source: BrowserToken['source']): BrowserToken {
  const { accessToken, expiresAt, tokenHash } = token;
  return { accessToken, expiresAt, tokenHash, source };
}
