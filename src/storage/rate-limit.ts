import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { BffError } from '../errors/bff-error.js';
import type { RedisConnection } from './redis/redis-connection.js';

const WINDOW_MS = 60_000;
/** Beyond that, the key that was counted least recently is forgotten. */
const KEYS_MAX = 100_000;
/** Adds points to a count; returns it, and the milliseconds that are left of its window. */
const COUNT = `local taken = redis.call('INCRBY', KEYS[1], ARGV[1])
local left = redis.call('PTTL', KEYS[1])
if left >= 0 then return {taken, left} end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return {taken, tonumber(ARGV[2])}`;

/** How many of the points asked for were left. */
export interface Admission {
  readonly points: number;
  /** `rate_limited`, for the others; undefined when all were left. */
  readonly refusal: BffError | undefined;
}

/**
 * Counts points per key in windows of a minute: over all replicas in Redis, under the SHA-256 of the key. Each replica
 * remembers the last count it saw. Once the points are used up it refuses without asking Redis, and while Redis does
 * not answer, or has lost its count, it continues from its own alone: it never fails open.
 */
export class RateLimit {
  /** Points taken by each key in its window, by a clock that is never set. */
  private readonly counts = new LRUCache<string, number>({
    maxSize: KEYS_MAX, // `max` would take memory for all of them at the start
    sizeCalculation: () => 1,
    ttl: WINDOW_MS,
    noUpdateTTL: true,
    ttlResolution: 0,
    perf: { now: () => performance.now() },
  });

  /** @param pointsPerMinute 0 disables the limit */
  constructor(
    private readonly name: string,
    private readonly pointsPerMinute: number,
    private readonly redis?: RedisConnection,
  ) {}

  /**
   * Takes a point for `key`; at once, without a promise, where Redis is not asked.
   * @throws BffError `rate_limited` when none is left
   */
  admit(key: string): void | Promise<void> {
    const admission = this.takeUpTo(key, 1);
    return admission instanceof Promise ? admission.then(throwRefusal) : throwRefusal(admission);
  }

  /** Takes as many of `points` as are left: at once without Redis, else in one exchange with it. */
  takeUpTo(key: string, points: number): Admission | Promise<Admission> {
    if (this.pointsPerMinute === 0) return { points, refusal: undefined };
    if (!this.redis) return this.takeAlone(key, points);
    return this.takeShared(this.redis, key, points);
  }

  /**
   * Forgets what was counted for the keys that begin so: in this process each, in Redis the key that is all of it. Any
   * other there expires within a minute.
   */
  async forget(start: string): Promise<void> {
    for (const key of [...this.counts.keys()]) if (key.startsWith(start)) this.counts.delete(key);
    await this.redis?.ask((client) => client.del(this.sharedKeyOf(start)));
  }

  private takeAlone(key: string, points: number): Admission {
    const taken = (this.counts.get(key) ?? 0) + points;
    this.counts.set(key, taken);
    return this.judge(key, taken, points);
  }

  private async takeShared(redis: RedisConnection, key: string, points: number): Promise<Admission> {
    const isUsedUp = (this.counts.get(key) ?? 0) >= this.pointsPerMinute;
    const options = { keys: [this.sharedKeyOf(key)], arguments: [String(points), String(WINDOW_MS)] };
    const counted = isUsedUp ? undefined : await redis.ask((client) => client.eval(COUNT, options));
    if (!counted) return this.takeAlone(key, points);
    const [taken, msLeft] = counted as [number, number];
    if (taken < (this.counts.get(key) ?? 0) + points) return this.takeAlone(key, points);
    this.counts.set(key, taken, { ttl: Math.max(1, msLeft), noUpdateTTL: false }); // 0 would be for ever
    return this.judge(key, taken, points);
  }

  private judge(key: string, taken: number, points: number): Admission {
    const left = this.pointsPerMinute - (taken - points);
    if (left >= points) return { points, refusal: undefined };
    const retryAfterSeconds = Math.max(1, Math.ceil(this.counts.getRemainingTTL(key) / 1000));
    const message = `the limit of ${this.name} is used up`;
    const refusal = new BffError('rate_limited', { retryAfterSeconds, message });
    return { points: Math.max(0, left), refusal };
  }

  private sharedKeyOf(key: string): string {
    return `bff:limit:${this.name}:${hash('sha256', key, 'base64url')}`;
  }
}

function throwRefusal({ refusal }: Admission): void {
  if (refusal) throw refusal;
}
