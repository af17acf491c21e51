import type { Config } from '../config/load-config.js';
import { openServer } from './open-database.js';

const SERVER_VERSION_MIN = 150_000;
const REPLICA = 'is a replica, which takes no writes: REDIS_URL must lead to the primary';

/** A finding about a store, which is not changed. */
export interface StoreFinding {
  readonly seen: string;
  /** The server's clock, epoch milliseconds. */
  readonly serverTime?: number;
  /** What to do about it, where something is wrong. */
  readonly todo?: string;
}

/**
 * Looks at the database that the settings name, and leaves it as it is.
 * @throws ConfigError when the service could not use it, and also while a running service uses an embedded one;
 *   UnavailableError for a server that does not answer
 */
export async function examineStore(config: Pick<Config, 'DATABASE_URL' | 'DATA_DIR'>): Promise<StoreFinding> {
  if (config.DATABASE_URL) return examineServer(config.DATABASE_URL);
  const { checkStore } = await import('./sqlite/check-store.js');
  const isMade = checkStore(config.DATA_DIR, 'service', false);
  return { seen: isMade ? 'embedded, whole, and not in use' : 'embedded; created at the first start' };
}

/** Asked once, with a write in view, as a start does for ten seconds. */
async function examineServer(url: URL): Promise<StoreFinding> {
  const database = await openServer(url, 0);
  try {
    const [row] = await database.query<{ version: number; now: number }>(
      "SELECT current_setting('server_version_num')::int AS version, :now AS now",
    );
    const { version, now } = row!;
    const seen = `PostgreSQL ${Math.floor(version / 10_000)}.${version % 10_000} answers`;
    const isOld = version < SERVER_VERSION_MIN;
    return { seen, serverTime: now, ...(isOld && { todo: 'upgrade it to 15 or later' }) };
  } finally {
    await database.close();
  }
}

/**
 * Asks Redis for a write, its role and its time.
 * @throws Error when it does not answer, is a replica, is full or refuses a command, with the driver's reason
 */
export async function examineRedis(url: URL): Promise<StoreFinding> {
  const { RedisConnection } = await import('./redis/redis-connection.js');
  const faults: string[] = [];
  const reports = { succeeded: () => undefined, failed: (why: string) => void faults.push(why) };
  const redis = new RedisConnection(url, reports);
  try {
    await redis.opened();
    const role = await redis.ask((client) => client.sendCommand<string[]>(['ROLE']));
    const isReplica = Array.isArray(role) && role[0] !== 'master';
    if (isReplica || faults.some((fault) => /\bREADONLY\b/.test(fault))) throw new Error(REPLICA);
    const startedAt = performance.now();
    const time = await redis.ask((client) => client.sendCommand<string[]>(['TIME']));
    const [fault] = faults;
    if (!time || fault !== undefined) {
      throw new Error(redis.isUp ? `refuses a command (${fault})` : `no answer (${fault})`);
    }
    const ms = Math.round(performance.now() - startedAt);
    return { seen: `answers within ${ms} ms`, serverTime: Number(time[0]) * 1000 };
  } finally {
    redis.close();
  }
}
