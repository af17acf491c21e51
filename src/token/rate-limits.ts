import { Inject, Injectable, Optional } from '@nestjs/common';
import { CONFIG, type Config } from '../config/load-config.js';
import type { Caller } from '../http/end-user.js';
import { RateLimit, type Admission } from '../storage/rate-limit.js';
import type { RedisConnection } from '../storage/redis/redis-connection.js';
import { REDIS } from '../storage/shared-cache.js';

/** All callers without a user, who may ask for `version` alone: they share one limit. */
export const STRANGERS: Caller = { userId: 'strangers' };

/** The limit on the requests of one caller, shared by every public route; machines have one of their own. */
@Injectable()
export class RequestLimit {
  private readonly users: RateLimit;
  private readonly machines: RateLimit;

  constructor(@Inject(CONFIG) config: Config, @Optional() @Inject(REDIS) redis?: RedisConnection) {
    this.users = new RateLimit('requests', config.RATE_LIMIT_REQUESTS_PER_MINUTE, redis);
    this.machines = new RateLimit('machine-requests', config.RATE_LIMIT_MACHINE_REQUESTS_PER_MINUTE, redis);
  }

  /** Takes a point, see {@link RateLimit.admit}. @throws BffError `rate_limited` */
  admit({ userId, isMachine }: Caller): void | Promise<void> {
    return (isMachine ? this.machines : this.users).admit(userId);
  }

  /** Takes as many points as are left, see {@link RateLimit.takeUpTo}. */
  takeUpTo({ userId, isMachine }: Caller, points: number): Admission | Promise<Admission> {
    return (isMachine ? this.machines : this.users).takeUpTo(userId, points);
  }

  forget(userId: string): Promise<void> {
    return this.users.forget(userId);
  }
}
