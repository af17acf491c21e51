import type { StoreFinding } from '../examine-store.js';
import { RedisConnection } from './redis-connection.js';

const REPLICA = 'is a replica, which takes no writes: REDIS_URL must lead to the primary';
const FULL = 'is full (OOM): give it memory, or a maxmemory-policy that evicts';

/**
 * Asks Redis for its role and its time, and whether it takes a write.
 * @throws Error when it does not answer, is a replica or is full, with the driver's reason
 */
export async function examineRedis(url: URL): Promise<StoreFinding> {
  const redis = new RedisConnection(url);
  let fault: unknown;
  try {
    await redis.opened();
    redis.observe({ onChange: (_isUp, reason) => (fault = reason), onRefusal: (reason) => (fault = reason) });
    if (/\bREADONLY\b/.test(messageOf(fault)) || (await isReplica(redis))) throw new Error(REPLICA);
    await redis.ask((client) => client.set('bff:doctor', '1', { PX: 1_000 }));
    if (/^OOM\b/.test(messageOf(fault))) throw new Error(FULL);
    const startedAt = performance.now();
    const answer = await redis.ask((client) => client.sendCommand(['TIME']));
    if (!Array.isArray(answer)) throw new Error(`no answer (${reasonOf(fault)})`);
    const ms = Math.round(performance.now() - startedAt);
    return { seen: `answers within ${ms} ms`, serverTime: Number(answer[0]) * 1000 };
  } finally {
    redis.close();
  }
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
