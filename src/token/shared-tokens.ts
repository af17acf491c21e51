import { Injectable } from '@nestjs/common';
import { ownBytes } from '../concurrency/own-bytes.js';
import { Default } from '../config/default.js';
import { Secrets } from '../config/secrets.js';
import { Seal } from '../storage/seal.js';
import { SharedCache } from '../storage/shared-cache.js';

/** A token and when it expires. */
export interface StoredToken {
  readonly accessToken: string;
  /** Epoch milliseconds, from when the token was asked for. */
  readonly issuedAt: number;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  /**
   * Epoch milliseconds; until then a token that replaced a refused one is not dropped again, by no replica. Of browser
   * tokens; the partner token's hold is in `PartnerTokenState`.
   */
  readonly heldUntil?: number;
}

/** A token as read from, or written to, the shared cache; `sealed` identifies this copy, and is kept as long as it. */
export interface SharedToken extends StoredToken {
  readonly sealed: Buffer;
}

/** Tokens that replicas share: sealed before they leave the process, bound to their key. Every failure is a miss. */
@Injectable()
export class SharedTokens {
  private readonly seal: Seal;

  constructor(
    private readonly cache: SharedCache,
    secrets: Secrets,
    @Default() private readonly now: () => number = Date.now,
  ) {
    this.seal = new Seal(() => secrets.current.SEALING_KEY, 'tokens');
  }

  async get(key: string): Promise<SharedToken | undefined> {
    const sealed = await this.cache.get(key);
    const plain = sealed && this.seal.open(sealed, key);
    if (plain === undefined || !sealed) return undefined;
    return { ...(JSON.parse(plain) as StoredToken), sealed: ownBytes(sealed) };
  }

  /** Shares the token until it expires. Does not wait for the cache. */
  put(key: string, { accessToken, issuedAt, expiresAt, heldUntil = 0 }: StoredToken): SharedToken {
    const token = { accessToken, issuedAt, expiresAt, heldUntil };
    const sealed = ownBytes(this.seal.seal(JSON.stringify(token), key));
    void this.cache.set(key, sealed, expiresAt - this.now());
    return { ...token, sealed };
  }

  /** Deletes exactly this copy; a newer one of another replica stays. */
  async drop(key: string, { sealed }: SharedToken): Promise<void> {
    await this.cache.deleteIfEqual(key, sealed);
  }
}
