import type { RedisClient, RedisConnection } from '../../src/storage/redis/redis-connection.js';

interface Entry {
  readonly value: Buffer;
  readonly until: number;
}

interface SetOptions {
  readonly PX: number;
}

interface DeleteIfEqual {
  readonly keys: [string];
  readonly arguments: [Buffer];
}

/** As much of Redis as the shared cache uses, in memory, on the clock that `Date.now` reads. */
export class SimulatedRedis {
  /** While false, no replica gets an answer. */
  isUp = true;
  private readonly entries = new Map<string, Entry>();

  /** A replica's connection. */
  connect(): RedisConnection {
    const client = this.client() as unknown as RedisClient;
    const connection: Pick<RedisConnection, 'ask' | 'close'> = {
      ask: async (command) => (this.isUp ? command(client) : undefined),
      close: () => undefined,
    };
    return connection as RedisConnection;
  }

  private client() {
    const client = {
      withTypeMapping: () => client,
      get: async (key: string) => this.read(key) ?? null,
      set: async (key: string, value: Buffer, { PX }: SetOptions) => {
        this.write(key, value, PX);
        return 'OK';
      },
      /** The one script there is deletes what is still as it was seen. */
      eval: async (_script: string, { keys: [key], arguments: [seen] }: DeleteIfEqual) => {
        if (this.read(key)?.equals(seen)) this.entries.delete(key);
      },
    };
    return client;
  }

  private read(key: string): Buffer | undefined {
    const entry = this.entries.get(key);
    return entry && entry.until > Date.now() ? entry.value : undefined;
  }

  private write(key: string, value: Buffer, lifeMs: number): void {
    this.entries.set(key, { value, until: Date.now() + lifeMs });
  }
}
