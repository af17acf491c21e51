import { LRUCache } from 'lru-cache';
import { cacheBounds } from '../concurrency/cache-bounds.js';

const HIRERS_MAX = 10_000;

/** One time that the tokens of a hirer were dropped. */
export interface HirerDrop {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Unique; it tells one time from another of the same millisecond. */
  readonly number: number;
}

/**
 * When the tokens of each hirer were last dropped: what was requested before that is not kept. Of 10,000 hirers each has
 * its own note; the latest note that had to make room stands for all others, so that none is forgotten.
 */
export class DroppedHirers {
  private count = 0;
  private others: HirerDrop | undefined;
  private readonly drops = new LRUCache<string, HirerDrop>({
    ...cacheBounds<string, HirerDrop>(HIRERS_MAX),
    dispose: (drop, _hirerId, reason) => {
      if (reason === 'evict') this.others = drop;
    },
  });

  note(hirerId: string, at: number): void {
    this.drops.set(hirerId, { at, number: (this.count += 1) });
  }

  /** The last time for this hirer, or that which stands for it; undefined when none was dropped. */
  last(hirerId: string): HirerDrop | undefined {
    return this.drops.get(hirerId) ?? this.others;
  }
}
