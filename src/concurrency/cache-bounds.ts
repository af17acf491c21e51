interface CacheBounds<K, V> {
  readonly maxSize: number;
  readonly sizeCalculation: (value: V, key: K) => number;
}

/**
 * Options of an `LRUCache` that holds at most so many entries, which are at most so many bytes together: the smallest
 * entry counts as its share of the bytes. lru-cache's own `max` would take memory for all entries at the start.
 */
export function cacheBounds<K, V>(
  entriesMax: number,
  bytesMax = entriesMax,
  bytesOf: (value: V, key: K) => number = () => 1,
): CacheBounds<K, V> {
  const share = Math.floor(bytesMax / entriesMax);
  return {
    maxSize: share * entriesMax,
    sizeCalculation: (value, key) => Math.max(share, bytesOf(value, key)),
  };
}
