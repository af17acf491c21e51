import { ErrorReply } from 'redis';
import type { StoreFinding } from '../examine-store.js';
import { RateLimit } from '../rate-limit.js';
import { RedisCache } from './redis-cache.js';
import { RedisConnection } from './redis-connection.js';

const REPLICA = 'is a replica, which takes no writes: REDIS_URL must lead to the primary';
const FULL = 'is full (OOM): give it memory, or a maxmemory-policy that evicts';
const RIGHTS = 'give its user the rights of docs/operate.md';

/**
 * Asks Redis for its role and its time, and for all that the service asks of it.
 * @throws Error when it does not answer, is a replica, is full or refuses a command, with the driver's reason
 */
export async function examineRedis(url: URL): Promise<StoreFinding> {
  const redis = new RedisConnection(url);
  let fault: unknown;
  try {
    await redis.opened();
    const isOnReplica = await isReplica(redis);
    const keep = (reason: unknown): void => void (fault ??= reason);
    redis.observe({ onChange: (_isUp, reason) => keep(reason), onRefusal: keep });
    if (isOnReplica || /\bREADONLY\b/.test(messageOf(fault))) throw new Error(REPLICA);
    await useAll(redis);
    const startedAt = performance.now();
    const answer = await redis.ask((client) => client.sendCommand(['TIME']));
    if (/^OOM\b/.test(messageOf(fault))) throw new Error(FULL);
    if (fault instanceof ErrorReply) throw new Error(`refuses the service (${fault.message}): ${RIGHTS}`);
    if (!Array.isArray(answer)) throw new Error(`no answer (${reasonOf(fault)})`);
    const ms = Math.round(performance.now() - startedAt);
    return { seen: `answers within ${ms} ms`, serverTime: Number(answer[0]) * 1000 };
  } finally {
    redis.close();
  }
}

/** All that caches and limits do, and nothing that stays. */
async function useAll(redis: RedisConnection): Promise<void> {
  const [cache, value] = [new RedisCache(redis), Buffer.from('1')];
  await cache.set('doctor', value, 1_000);
  await cache.get('doctor');
  await cache.deleteIfEqual('doctor', value);
  await redis.ask((client) => client.scan('0'));
  const limit = new RateLimit('doctor', 1, redis);
  await limit.takeUpTo('doctor', 1);
  await limit.forget('doctor');
}

/** False also where the user may not ask. */
async function isReplica(redis: RedisConnection): Promise<boolean> {
  const answer = await redis.ask((client) => client.sendCommand<string[]>(['ROLE']));
  return Array.isArray(answer) && answer[0] !== 'master';
}

function messageOf(fault: unknown): string {
  return (fault as Error | undefined)?.message ?? '';
}

function reasonOf(fault: unknown): string {
  const { code, message } = (fault ?? {}) as NodeJS.ErrnoException;
  return code ?? message ?? 'within 100 ms';
}
