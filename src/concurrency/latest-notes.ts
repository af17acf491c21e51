import { LRUCache } from 'lru-cache';

/**
 * The latest note on each key. A bounded number of keys have their own; the latest note that had to make room stands for
 * all other keys, so that no key's last note is ever older than the real one.
 */
export class LatestNotes<T extends object | number> {
  private others: T | undefined;
  private readonly notes: LRUCache<string, T>;

  constructor(keysMax: number) {
    this.notes = new LRUCache<string, T>({
      max: keysMax,
      dispose: (note, _key, reason) => {
        if (reason === 'evict') this.others = note;
      },
    });
  }

  note(key: string, note: T): void {
    this.notes.set(key, note);
  }

  /** The last note on the key, or a later one that stands for it; undefined when there was none. */
  last(key: string): T | undefined {
    return this.notes.peek(key) ?? this.others; // `get` would have others make room out of turn
  }
}
