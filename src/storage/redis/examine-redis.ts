import type { StoreFinding } from '../examine-store.js';
import { RateLimit } from '../rate-limit.js';
import { SharedCache } from '../shared-cache.js';
import { RedisConnection } from './redis-connection.js';

const REPLICA = 'is a replica, which takes no writes: REDIS_URL must lead to the primary';
const RIGHTS = 'give its user the rights of docs/operate.md, or the server memory or an eviction policy';

/**
 * Asks Redis for its role and its time, and for all that the service asks of it.
 * @throws Error when it does not answer, is a replica, is full or refuses a command, with the driver's reason
 */
export async function examineRedis(url: URL): Promise<StoreFinding> {
  const faults: string[] = [];
  const reports = { succeeded: () => undefined, failed: (why: string) => void faults.push(why) };
  const redis = new RedisConnection(url, reports);
  try {
    await redis.opened();
    if (!redis.isUp) throw new Error(isOfReplica(faults) ? REPLICA : `no answer (${faults[0]})`);
    const role = await redis.ask((client) => client.sendCommand<string[]>(['ROLE']));
    if (Array.isArray(role) && role[0] !== 'master') throw new Error(REPLICA);
    faults.length = 0; // its user may lack the right to ask for the role
    await useAll(redis);
    const startedAt = performance.now();
    const time = await redis.ask((client) => client.sendCommand<string[]>(['TIME']));
    if (faults.length > 0) throw new Error(`refuses the service (${faults[0]}): ${RIGHTS}`);
    const ms = Math.round(performance.now() - startedAt);
    return { seen: `answers within ${ms} ms`, serverTime: Number(time![0]) * 1000 };
  } finally {
    redis.close();
  }
}

function isOfReplica(faults: readonly string[]): boolean {
  return faults.some((fault) => /\bREADONLY\b/.test(fault));
}

/** All that caches and limits do, and nothing that stays. */
async function useAll(redis: RedisConnection): Promise<void> {
  const [cache, value] = [new SharedCache(redis), Buffer.from('1')];
  await cache.set('doctor', value, 1_000);
  await cache.get('doctor');
  await cache.deleteIfEqual('doctor', value);
  await cache.deleteAll('doctor');
  const limit = new RateLimit('doctor', 1, redis);
  await limit.takeUpTo('doctor', 1);
  await limit.forget('doctor');
}
