import { Inject, Injectable, Optional } from '@nestjs/common';
import { CONFIG, type Config } from '../config/load-config.js';
import { RateLimit, type Admission } from '../storage/limits/rate-limit.js';
import type { RedisConnection } from '../storage/redis/redis-connection.js';
import { REDIS } from '../storage/redis/redis.js';

/** The caller that requests count for: a user, a machine, or the network of a caller without a user. */
export interface LimitedCaller {
  readonly userId: string;
  readonly isMachine?: boolean;
}

/** Settings that {@link RequestLimit} reads. */
type LimitSettings = Pick<
  Config,
  'RATE_LIMIT_REQUESTS_PER_MINUTE' | 'RATE_LIMIT_MACHINE_REQUESTS_PER_MINUTE'
>;

/**
 * The limit on the requests of one caller, shared by every public route: `RATE_LIMIT_REQUESTS_PER_MINUTE`, and for a
 * machine `RATE_LIMIT_MACHINE_REQUESTS_PER_MINUTE` in its place.
 */
@Injectable()
export class RequestLimit {
  private readonly users: RateLimit;
  private readonly machines: RateLimit;

  constructor(@Inject(CONFIG) config: LimitSettings, @Optional() @Inject(REDIS) redis?: RedisConnection) {
    this.users = new RateLimit('requests', config.RATE_LIMIT_REQUESTS_PER_MINUTE, redis);
    this.machines = new RateLimit('machine-requests', config.RATE_LIMIT_MACHINE_REQUESTS_PER_MINUTE, redis);
  }

  /** Takes a point, see {@link RateLimit.admit}. @throws BffError `rate_limited` */
  admit(caller: LimitedCaller): void | Promise<void> {
    return this.limitOf(caller).admit(caller.userId);
  }

  /** Takes as many points as are left, see {@link RateLimit.takeUpTo}. */
  takeUpTo(caller: LimitedCaller, points: number): Admission | Promise<Admission> {
    return this.limitOf(caller).takeUpTo(caller.userId, points);
  }

  /** Forgets what was counted for a user. */
  forget(userId: string): Promise<void> {
    return this.users.forget(userId);
  }

  private limitOf({ isMachine }: LimitedCaller): RateLimit {
    return isMachine ? this.machines : this.users;
  }
}
