import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Default } from '../config/default.js';
import { Secrets } from '../config/secrets.js';
import { Seal } from '../storage/seal.js';
import { SharedCache } from '../storage/shared-cache.js';

export interface StoredToken {
  readonly accessToken: string;
  /** Epoch milliseconds, from when the token was asked for. */
  readonly issuedAt: number;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  /** True of a browser token that replaced a refused one: it is not replaced at once, by no replica. */
  readonly isReplacement?: boolean;
}

/** The key of the partner's token for a tuple. Hashed, so that the store holds no identifier. */
export function partnerTokenKey(tuple: readonly (string | undefined)[]): string {
  return `partner-token:${hash('sha256', JSON.stringify(tuple))}`;
}

/** The key of a user's token for a tuple that is one text. The tokens of a user have one beginning. */
export function browserTokenKey(userId: string, tuple: string): string {
  return `${startOf(userId)}${hash('sha256', tuple)}`;
}

function startOf(userId: string): string {
  return `browser-token:${hash('sha256', userId)}:`;
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

  async get(key: string): Promise<StoredToken | undefined> {
    const sealed = await this.cache.get(key);
    return sealed && this.open(key, sealed);
  }

  /** Shares the token until it expires. Does not wait for the cache. */
  put(key: string, token: StoredToken): void {
    void this.cache.set(key, this.seal.seal(JSON.stringify(token), key), token.expiresAt - this.now());
  }

  /** Deletes the copy of exactly this token; that of another one, which a replica may have put there, stays. */
  async drop(key: string, accessToken: string): Promise<void> {
    const sealed = await this.cache.get(key);
    if (sealed && this.open(key, sealed)?.accessToken === accessToken) {
      await this.cache.deleteIfEqual(key, sealed);
    }
  }

  /** Deletes every browser token of these users, whichever replica shared it. */
  async dropUsers(userIds: readonly string[]): Promise<void> {
    for (const userId of userIds) await this.cache.deleteAll(startOf(userId));
  }

  private open(key: string, sealed: Buffer): StoredToken | undefined {
    const plain = this.seal.open(sealed, key);
    return plain === undefined ? undefined : (JSON.parse(plain) as StoredToken);
  }
}
