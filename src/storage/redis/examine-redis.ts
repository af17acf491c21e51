import type { StoreFinding } from '../examine-store.js';
import { RedisConnection } from './redis-connection.js';

/**
 * Asks Redis for its time.
 * @throws Error when it does not answer, with the driver's reason
 */
export async function examineRedis(url: URL): Promise<StoreFinding> {
  const redis = new RedisConnection(url);
  let fault: unknown;
  try {
    await redis.opened();
    redis.observe({ onChange: (_isUp, reason) => (fault = reason), onRefusal: (reason) => (fault = reason) });
    const startedAt = performance.now();
    const answer = await redis.ask((client) => client.sendCommand(['TIME']));
    if (!Array.isArray(answer)) throw new Error(`no answer (${reasonOf(fault)})`);
    const ms = Math.round(performance.now() - startedAt);
    return { seen: `answers within ${ms} ms`, serverTime: Number(answer[0]) * 1000 };
  } finally {
    redis.close();
  }
}

function reasonOf(fault: unknown): string {
  const { code, message } = (fault ?? {}) as NodeJS.ErrnoException;
  return code ?? message ?? 'within 100 ms';
}
