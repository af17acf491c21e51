/**
 * Injection token of the `RedisConnection` behind the shared cache and the limits, undefined without `REDIS_URL`. It stands
 * apart from the class, which loads the driver.
 */
export const REDIS = Symbol('REDIS');

/** A cache that answers no sooner has no answer. */
export const CACHE_DEADLINE_MS = 100;

/** Values that replicas share for a while. A miss is always a valid answer: nothing is stored only here. */
export abstract class SharedCache {
  /** The value, or undefined when there is none or the cache does not answer in time. Never rejects. */
  abstract get(key: string): Promise<Buffer | undefined>;
  /** Keeps the value for `ttlMs`, if it can. Never rejects. */
  abstract set(key: string, value: Buffer, ttlMs: number): Promise<void>;
  /** Deletes the value if it is still `seen`; a newer one stays. Never rejects. */
  abstract deleteIfEqual(key: string, seen: Buffer): Promise<void>;
  /** Deletes every value whose key begins so. Never rejects. */
  abstract deleteAll(start: string): Promise<void>;
  /** Resolves when the cache answers; rejects with the reason when it does not. */
  abstract ping(): Promise<void>;
  abstract close(): Promise<void>;
}

/** The cache of a single replica: callers have their own memory, so there is nothing to share. */
export class NoSharedCache implements SharedCache {
  async get(): Promise<undefined> {}
  async set(): Promise<void> {}
  async deleteIfEqual(): Promise<void> {}
  async deleteAll(): Promise<void> {}
  async ping(): Promise<void> {}
  async close(): Promise<void> {}
}
