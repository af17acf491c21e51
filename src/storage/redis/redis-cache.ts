import { RESP_TYPES } from 'redis';
import type { RedisClient, RedisConnection } from './redis-connection.js';
import type { SharedCache } from '../shared-cache.js';

const KEY_PREFIX = 'bff:';
/** Keys that Redis looks at before another command has its turn. */
const KEYS_AT_ONCE = 1_000;
const DELETE_IF_EQUAL =
  "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

/** Redis as the shared cache: slow, down or full counts as a miss within 100 ms. */
export class RedisCache implements SharedCache {
  constructor(private readonly redis: RedisConnection) {}

  async get(key: string): Promise<Buffer | undefined> {
    return (await this.redis.ask((client) => inBytes(client).get(KEY_PREFIX + key))) ?? undefined;
  }

  async set(key: string, value: Buffer, ttlMs: number): Promise<void> {
    if (ttlMs < 1) return;
    await this.redis.ask((client) => client.set(KEY_PREFIX + key, value, { PX: Math.floor(ttlMs) }));
  }

  async deleteIfEqual(key: string, seen: Buffer): Promise<void> {
    await this.redis.ask((client) =>
      client.eval(DELETE_IF_EQUAL, {
        keys: [KEY_PREFIX + key],
        arguments: [seen] as unknown as string[], // bytes are sent unchanged; the typings allow text only
      }),
    );
  }

  async deleteAll(start: string): Promise<void> {
    const pattern = { MATCH: `${KEY_PREFIX}${start}*`, COUNT: KEYS_AT_ONCE };
    let cursor: string | undefined = '0';
    do {
      const from: string = cursor;
      const page = await this.redis.ask((client) => client.scan(from, pattern));
      if (page && page.keys.length > 0) await this.redis.ask((client) => client.del(page.keys));
      cursor = page?.cursor;
    } while (cursor !== undefined && cursor !== '0');
  }

  ping(): Promise<void> {
    return this.redis.ping();
  }

  async close(): Promise<void> {
    this.redis.close();
  }
}

function inBytes(client: RedisClient) {
  return client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
}
