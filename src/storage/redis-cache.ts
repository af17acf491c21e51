import { createClient, RESP_TYPES } from 'redis';
import type { SharedCache } from './shared-cache.js';

const COMMAND_TIMEOUT_MS = 100;
const CONNECT_TIMEOUT_MS = 2_000;
const KEY_PREFIX = 'bff:';
const DELETE_IF_EQUAL =
  "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

/** A connection to Redis that fails commands at once while it is down, and reconnects by itself. */
export function connectRedis(url: URL, onError: (fault: Error) => void) {
  const client = createClient({
    url: url.href,
    disableOfflineQueue: true,
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      reconnectStrategy: (tries) => Math.min(100 * 2 ** tries, 5_000),
    },
  });
  client.on('error', onError);
  void client.connect().catch(onError);
  return client;
}

/** The client behind {@link RedisCache} and the shared rate limits. */
export type RedisConnection = ReturnType<typeof connectRedis>;

/** Redis as the shared cache: slow, down or full counts as a miss within 100 ms. */
export class RedisCache implements SharedCache {
  private readonly bytes;

  constructor(private readonly client: RedisConnection) {
    this.bytes = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
  }

  async get(key: string): Promise<Buffer | undefined> {
    return (await settle(this.bytes.get(KEY_PREFIX + key))) ?? undefined;
  }

  async set(key: string, value: Buffer, ttlMs: number): Promise<void> {
    if (ttlMs >= 1) await settle(this.bytes.set(KEY_PREFIX + key, value, { PX: Math.floor(ttlMs) }));
  }

  async deleteIfEqual(key: string, seen: Buffer): Promise<void> {
    await settle(
      this.bytes.eval(DELETE_IF_EQUAL, {
        keys: [KEY_PREFIX + key],
        arguments: [seen] as unknown as string[],
      }),
    );
  }

  async ping(): Promise<void> {
    const answer = await settle(this.client.ping());
    if (answer === undefined) throw new Error('Redis does not answer');
  }

  async close(): Promise<void> {
    this.client.destroy();
  }
}

/** The command's answer, or undefined when it failed or took too long. */
async function settle<T>(command: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, COMMAND_TIMEOUT_MS, undefined);
  });
  try {
    return await Promise.race([command.catch(() => undefined), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
