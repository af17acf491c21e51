import { RESP_TYPES } from 'redis';
import { StoreError } from '../../errors/store-error.js';
import type { OneTimeValues } from '../one-time-values.js';
import type { RedisConnection } from './redis-connection.js';

const KEY_PREFIX = 'bff:once:';

/** For replicas, in Redis. Without it there is nothing to fall back on: a replica cannot know what others gave away. */
export class RedisOneTimeValues implements OneTimeValues {
  constructor(private readonly redis: RedisConnection) {}

  async put(key: string, value: Buffer, ttlMs: number): Promise<void> {
    const kept = await this.redis.ask((client) => client.set(KEY_PREFIX + key, value, { PX: ttlMs }));
    if (kept === undefined) throw unavailable();
  }

  async take(key: string): Promise<Buffer | undefined> {
    const taken = await this.redis.ask((client) =>
      client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer }).getDel(KEY_PREFIX + key),
    );
    if (taken === undefined) throw unavailable();
    return taken ?? undefined;
  }
}

function unavailable(): StoreError {
  return new StoreError('cache', 'Redis does not answer, and one-time values are nowhere else');
}
