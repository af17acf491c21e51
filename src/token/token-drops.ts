import { LRUCache } from 'lru-cache';
import { cacheBounds } from '../concurrency/cache-bounds.js';

const OWNERS_MAX = 10_000;

/** One time that tokens were dropped. */
export interface TokenDrop {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Unique and rising; it tells one time from another of the same millisecond. */
  readonly number: number;
}

/**
 * When the tokens of each hirer or user were last dropped: what was requested before that is not kept. Of 10,000 of them
 * each has its own note; the latest note that had to make room stands for all others, so that none is forgotten. No
 * hirer's identifier is a user's pseudonym.
 */
export class TokenDrops {
  private count = 0;
  private others: TokenDrop | undefined;
  private readonly drops = new LRUCache<string, TokenDrop>({
    ...cacheBounds<string, TokenDrop>(OWNERS_MAX),
    dispose: (drop, _owner, reason) => {
      if (reason === 'evict') this.others = drop;
    },
  });

  note(owner: string, at: number): void {
    this.drops.set(owner, { at, number: (this.count += 1) });
  }

  /** The last time for any of these, or that which stands for one; undefined when none was dropped. */
  last(...owners: readonly string[]): TokenDrop | undefined {
    let last: TokenDrop | undefined;
    for (const owner of owners) {
      const drop = this.drops.get(owner) ?? this.others;
      if (drop && drop.number > (last?.number ?? 0)) last = drop;
    }
    return last;
  }
}
