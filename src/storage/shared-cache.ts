import { Inject, Injectable, Optional } from '@nestjs/common';
import type { RedisConnection } from './redis/redis-connection.js';

/**
 * Injection token of the `RedisConnection` behind the shared cache and the limits, undefined without `REDIS_URL`. It stands
 * apart from the class, which loads the driver.
 */
export const REDIS = Symbol('REDIS');

const KEY_PREFIX = 'bff:';
/** Keys that Redis looks at before another command has its turn. */
const KEYS_AT_ONCE = 1_000;
const DELETE_IF_EQUAL =
  "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

/**
 * Values that replicas share in Redis for a while. A miss is always a valid answer: nothing is stored only here, and a
 * Redis that is slow, down or full counts as one within 100 ms. Nothing rejects. Without Redis there is nothing to share:
 * callers have their own memory.
 */
@Injectable()
export class SharedCache {
  constructor(@Optional() @Inject(REDIS) private readonly redis?: RedisConnection) {}

  /** The value, or undefined when there is none or the cache does not answer in time. */
  async get(key: string): Promise<Buffer | undefined> {
    const text = await this.redis?.ask((client) => client.get(KEY_PREFIX + key));
    return typeof text === 'string' ? Buffer.from(text, 'base64') : undefined;
  }

  /** Keeps the value for `ttlMs`, if it can. */
  async set(key: string, value: Buffer, ttlMs: number): Promise<void> {
    if (ttlMs < 1) return;
    const options = { PX: Math.floor(ttlMs) };
    await this.redis?.ask((client) => client.set(KEY_PREFIX + key, value.toString('base64'), options));
  }

  /** Deletes the value if it is still `seen`; a newer one stays. */
  async deleteIfEqual(key: string, seen: Buffer): Promise<void> {
    const options = { keys: [KEY_PREFIX + key], arguments: [seen.toString('base64')] };
    await this.redis?.ask((client) => client.eval(DELETE_IF_EQUAL, options));
  }

  /** Deletes every value whose key begins so. */
  async deleteAll(start: string): Promise<void> {
    const pattern = { MATCH: `${KEY_PREFIX}${start}*`, COUNT: KEYS_AT_ONCE };
    let cursor: string | undefined = '0';
    do {
      const from: string = cursor;
      const page = await this.redis?.ask((client) => client.scan(from, pattern));
      if (page && page.keys.length > 0) await this.redis?.ask((client) => client.del(page.keys));
      cursor = page?.cursor;
    } while (cursor !== undefined && cursor !== '0');
  }
}
