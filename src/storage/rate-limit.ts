import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { RedisConnection } from './redis-cache.js';

const WINDOW_SECONDS = 60;

/**
 * Counts points per key in windows of a minute, over all replicas when there is a Redis, and in this process while it
 * cannot be reached: never open.
 */
export class RateLimit {
  private readonly limiter: RateLimiterMemory | RateLimiterRedis | undefined;

  /** @param pointsPerMinute 0 lets everything through */
  constructor(name: string, pointsPerMinute: number, redis?: RedisConnection) {
    if (pointsPerMinute === 0) return;
    const options = { keyPrefix: name, points: pointsPerMinute, duration: WINDOW_SECONDS };
    const memory = new RateLimiterMemory(options);
    this.limiter = redis
      ? new RateLimiterRedis({
          ...options,
          storeClient: redis,
          insuranceLimiter: memory,
          keyPrefix: `bff:limit:${name}`,
        })
      : memory;
  }

  /** Takes `points` for `key`; gives the seconds to wait, at least 1, when there are not enough left. */
  async take(key: string, points = 1): Promise<number | undefined> {
    if (!this.limiter) return undefined;
    try {
      await this.limiter.consume(key, points);
      return undefined;
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      return Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
    }
  }
}
