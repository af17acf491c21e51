import type { RedisClient, RedisConnection } from '../../src/storage/redis/redis-connection.js';

interface Entry {
  readonly value: Buffer;
  readonly until: number;
}

interface SetOptions {
  readonly PX?: number;
  readonly condition?: 'NX';
  readonly expiration?: { readonly value: number };
}

/** As much of Redis as the shared cache and its leases use, in memory, on the clock that `Date.now` reads. */
export class SimulatedRedis {
  /** While false, no replica gets an answer. */
  isUp = true;
  private readonly entries = new Map<string, Entry>();
  private readonly listeners = new Map<string, ((message: string) => void)[]>();

  /** A replica's connection. */
  connect(): RedisConnection {
    const client = this.client() as unknown as RedisClient;
    const connection: Pick<RedisConnection, 'ask' | 'subscribe' | 'close'> = {
      ask: async (command) => (this.isUp ? command(client) : undefined),
      subscribe: (channel, listener) => {
        this.listeners.set(channel, [...(this.listeners.get(channel) ?? []), listener]);
      },
      close: () => undefined,
    };
    return connection as RedisConnection;
  }

  private client() {
    const client = {
      withTypeMapping: () => client,
      get: async (key: string) => this.read(key) ?? null,
      set: async (key: string, value: Buffer | string, { PX, condition, expiration }: SetOptions) => {
        if (condition === 'NX' && this.read(key)) return null;
        this.write(key, Buffer.from(value), (PX ?? expiration?.value)!);
        return 'OK';
      },
      eval: async (script: string, call: { keys: [string]; arguments: (Buffer | string)[] }) =>
        this.evaluate(script, call.keys[0], call.arguments),
    };
    return client;
  }

  /** What the scripts of the service do, told apart by the commands in them. */
  private evaluate(script: string, key: string, [seen, ...more]: (Buffer | string)[]): null {
    if (this.read(key)?.equals(Buffer.from(seen!))) {
      if (script.includes("'PEXPIRE'")) this.write(key, this.read(key)!, Number(more[0]));
      else this.entries.delete(key);
    }
    if (script.includes("'PUBLISH'")) this.publish(String(more[0]), String(more[1]));
    return null;
  }

  private publish(channel: string, message: string): void {
    for (const listener of this.listeners.get(channel) ?? []) listener(message);
  }

  private read(key: string): Buffer | undefined {
    const entry = this.entries.get(key);
    return entry && entry.until > Date.now() ? entry.value : undefined;
  }

  private write(key: string, value: Buffer, lifeMs: number): void {
    this.entries.set(key, { value, until: Date.now() + lifeMs });
  }
}
