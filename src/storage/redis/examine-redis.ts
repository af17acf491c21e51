import type { StoreFinding } from '../examine-store.js';
import { RedisConnection } from './redis-connection.js';

const REPLICA = 'is a replica, which takes no writes: REDIS_URL must lead to the primary';

/**
 * Asks Redis for a write, its role and its time.
 * @throws Error when it does not answer, is a replica, is full or refuses a command, with the driver's reason
 */
export async function examineRedis(url: URL): Promise<StoreFinding> {
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
