import { RESP_TYPES } from 'redis';
import type { RedisClient, RedisConnection } from './redis-connection.js';
import type { SharedCache, SharedWork } from '../shared-cache.js';
import { Leases, type Lease } from './leases.js';

/** How long a caller waits for the work of other replicas. */
const PATIENCE_MS = 5_000;
const KEY_PREFIX = 'bff:';
const DELETE_IF_EQUAL =
  "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

/** Redis as the shared cache: slow, down or full counts as a miss within 100 ms. */
export class RedisCache implements SharedCache {
  private readonly leases: Leases;

  constructor(
    private readonly redis: RedisConnection,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.leases = new Leases(redis);
  }

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

  async once<T>(key: string, work: SharedWork<T>): Promise<T> {
    const giveUpAt = this.now() + PATIENCE_MS;
    for (let left = PATIENCE_MS; left > 0; left = giveUpAt - this.now()) {
      const found = await work.find();
      if (found !== undefined) return found;
      const waiter = this.leases.waiter(key);
      try {
        const lease = await this.leases.take(key);
        if (lease === undefined) break;
        if (lease === 'taken') await waiter.wait(left);
        else return await under(lease, work);
      } finally {
        waiter.leave();
      }
    }
    return work.make();
  }

  ping(): Promise<void> {
    return this.redis.ping();
  }

  async close(): Promise<void> {
    this.redis.close();
  }
}

/** Looks again first: the one who had the lease before may have ended in between. */
async function under<T>(lease: Lease, { find, make }: SharedWork<T>): Promise<T> {
  try {
    return (await find()) ?? (await make());
  } finally {
    lease.end();
  }
}

function inBytes(client: RedisClient) {
  return client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
}
