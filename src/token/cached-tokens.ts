import { LRUCache } from 'lru-cache';
import { cacheBounds } from '../concurrency/cache-bounds.js';
import type { SharedToken } from './shared-tokens.js';

const TOKENS_MAX = 50_000;
const TOKENS_BYTES_MAX = 67_108_864;
const ENTRY_OVERHEAD_BYTES = 700;

/** A browser token in memory. */
export interface CachedToken extends SharedToken {
  readonly hirerId: string;
  /** The user's pseudonym. */
  readonly userId: string;
  readonly tokenHash: string;
}

/** The browser tokens in memory, bounded in number and bytes; those of a hirer are found without looking at the others. */
export class CachedTokens {
  private readonly byHirer = new Map<string, Map<string, CachedToken>>();
  private readonly byKey: LRUCache<string, CachedToken>;

  constructor(tokensMax = TOKENS_MAX) {
    const bytesOf = ({ accessToken, sealed }: CachedToken, key: string): number =>
      key.length + accessToken.length + sealed.length + ENTRY_OVERHEAD_BYTES;
    this.byKey = new LRUCache<string, CachedToken>({
      ...cacheBounds(tokensMax, TOKENS_BYTES_MAX, bytesOf),
      dispose: (token, key) => this.leaveHirer(token, key),
    });
  }

  get size(): number {
    return this.byKey.size;
  }

  get(key: string): CachedToken | undefined {
    return this.byKey.get(key);
  }

  set(key: string, token: CachedToken): void {
    this.byKey.set(key, token);
    if (this.byKey.peek(key) !== token) return; // larger than all tokens may be together
    const siblings = this.byHirer.get(token.hirerId);
    if (siblings) siblings.set(key, token);
    else this.byHirer.set(token.hirerId, new Map([[key, token]]));
  }

  /** Deletes exactly this token; another one under the key stays. */
  delete(key: string, token: CachedToken): void {
    if (this.byKey.peek(key) === token) this.byKey.delete(key);
  }

  /** The tokens of a hirer by their keys, as they are now. */
  ofHirer(hirerId: string): [key: string, token: CachedToken][] {
    return [...(this.byHirer.get(hirerId) ?? [])];
  }

  /** The tokens of a user by their keys, as they are now. Looks at every token. */
  ofUser(userId: string): [key: string, token: CachedToken][] {
    return [...this.byKey.entries()].filter(([, token]) => token.userId === userId);
  }

  private leaveHirer(token: CachedToken, key: string): void {
    const siblings = this.byHirer.get(token.hirerId);
    if (siblings?.get(key) !== token) return;
    siblings.delete(key);
    if (siblings.size === 0) this.byHirer.delete(token.hirerId);
  }
}
