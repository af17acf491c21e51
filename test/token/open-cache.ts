import { SharedCache } from '../../src/storage/shared-cache.js';

/** The cache that replicas share, in memory, whose values anybody may read and write. */
export function openCache() {
  const values = new Map<string, Buffer>();
  return Object.assign(new SharedCache(), {
    values,
    get: async (key: string) => values.get(key),
    set: async (key: string, value: Buffer) => void values.set(key, value),
    deleteIfEqual: async (key: string, seen: Buffer) => {
      if (values.get(key)?.equals(seen)) values.delete(key);
    },
    deleteAll: async (start: string) => {
      for (const key of values.keys()) if (key.startsWith(start)) values.delete(key);
    },
  });
}
