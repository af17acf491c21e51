import { LRUCache } from 'lru-cache';
import { cacheBounds } from '../../concurrency/cache-bounds.js';

const KEYS_MAX = 100_000;

/** Points taken for a key in its current window. The object is counted on in place: read it before anything is awaited. */
export interface WindowCount {
  taken: number;
  /** On the clock of the counts, which only goes forward. */
  readonly endsAt: number;
}

/**
 * Counts points per key in fixed windows, in this process. At most 100,000 keys are held; beyond that the least
 * recently counted one is forgotten.
 */
export class WindowCounts {
  private readonly windows = new LRUCache<string, WindowCount>(cacheBounds(KEYS_MAX));

  constructor(
    private readonly windowMs: number,
    private readonly now: () => number,
  ) {}

  get(key: string): WindowCount | undefined {
    const window = this.windows.get(key);
    return window && this.now() < window.endsAt ? window : undefined;
  }

  add(key: string, points: number): WindowCount {
    const window = this.get(key);
    if (!window) return this.put(key, points, this.now() + this.windowMs);
    window.taken += points;
    return window;
  }

  /** Forgets every key that begins so. */
  forget(start: string): void {
    for (const key of [...this.windows.keys()]) if (key.startsWith(start)) this.windows.delete(key);
  }

  put(key: string, taken: number, endsAt: number): WindowCount {
    const window = { taken, endsAt };
    this.windows.set(key, window);
    return window;
  }
}
