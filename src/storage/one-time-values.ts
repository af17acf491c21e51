import { LRUCache } from 'lru-cache';
import { cacheBounds } from '../concurrency/cache-bounds.js';
import { ownBytes } from '../concurrency/own-bytes.js';

/** Values that can be taken once, by whichever replica is asked first. */
export abstract class OneTimeValues {
  /**
   * Keeps a value for `ttlMs`.
   * @throws StoreError when it cannot be kept
   */
  abstract put(key: string, value: Buffer, ttlMs: number): Promise<void>;
  /**
   * Removes and returns a value, in one step; undefined when there is none, or no longer.
   * @throws StoreError when that cannot be found out
   */
  abstract take(key: string): Promise<Buffer | undefined>;
}

const VALUES_MAX = 20_000;
const BYTES_MAX = 16_777_216;
const OVERHEAD_BYTES = 300;

interface Kept {
  readonly value: Buffer;
  /** Epoch milliseconds. */
  readonly until: number;
}

/** For a single replica. Holds at most 16 MiB; what is beyond that loses its oldest values. */
export class MemoryOneTimeValues implements OneTimeValues {
  private readonly kept = new LRUCache<string, Kept>(
    cacheBounds(VALUES_MAX, BYTES_MAX, ({ value }, key) => value.length + key.length + OVERHEAD_BYTES),
  );

  constructor(private readonly now: () => number = Date.now) {}

  async put(key: string, value: Buffer, ttlMs: number): Promise<void> {
    this.kept.set(key, { value: ownBytes(value), until: this.now() + ttlMs });
  }

  async take(key: string): Promise<Buffer | undefined> {
    const kept = this.kept.get(key);
    this.kept.delete(key);
    return kept && this.now() < kept.until ? kept.value : undefined;
  }
}
