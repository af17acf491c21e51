/** What replicas share for a while. A miss is always a right answer: nothing here is the record of anything. */
export abstract class SharedCache {
  /** The value, or undefined when there is none, or the cache cannot say in time. Never rejects. */
  abstract get(key: string): Promise<Buffer | undefined>;
  /** Keeps the value for `ttlMs`, if it can. Never rejects. */
  abstract set(key: string, value: Buffer, ttlMs: number): Promise<void>;
  /** Forgets the value if it still is `seen`; anything newer stays. Never rejects. */
  abstract deleteIfEqual(key: string, seen: Buffer): Promise<void>;
  /** Resolves when the cache answers; rejects with the reason when it does not. */
  abstract ping(): Promise<void>;
  abstract close(): Promise<void>;
}

/** The cache of a service that runs alone: the layer above already remembers, so there is nothing to share. */
export class NoSharedCache implements SharedCache {
  async get(): Promise<undefined> {}
  async set(): Promise<void> {}
  async deleteIfEqual(): Promise<void> {}
  async ping(): Promise<void> {}
  async close(): Promise<void> {}
}
