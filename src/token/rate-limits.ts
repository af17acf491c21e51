import { Inject, Injectable, Optional } from '@nestjs/common';
import { CONFIG, type Config } from '../config/load-config.js';
import { RateLimit, type Admission } from '../storage/rate-limit.js';
import type { RedisConnection } from '../storage/redis/redis-connection.js';
import { REDIS } from '../storage/shared-cache.js';

/** The caller that requests count for. */
interface LimitedCaller {
  readonly userId: string;
  readonly isMachine?: boolean;
}

/** All callers without a user, who may ask for `version` alone: they share one limit. */
export const STRANGERS: LimitedCaller = { userId: 'strangers' };

/**
 * The limit on the requests of one caller, shared by every public route: `RATE_LIMIT_REQUESTS_PER_MINUTE`, and for a
 * machine `RATE_LIMIT_MACHINE_REQUESTS_PER_MINUTE` instead.
 */
@Injectable()
export class RequestLimit {
  private readonly users: RateLimit;
  private readonly machines: RateLimit;

  constructor(@Inject(CONFIG) config: Config, @Optional() @Inject(REDIS) redis?: RedisConnection) {
    this.users = new RateLimit('requests', config.RATE_LIMIT_REQUESTS_PER_MINUTE, redis);
    this.machines = new RateLimit('machine-requests', config.RATE_LIMIT_MACHINE_REQUESTS_PER_MINUTE, redis);
  }

  /** Takes a point, see {@link RateLimit.admit}. @throws BffError `rate_limited` */
  admit({ userId, isMachine }: LimitedCaller): void | Promise<void> {
    return (isMachine ? this.machines : this.users).admit(userId);
  }

  /** Takes as many points as are left, see {@link RateLimit.takeUpTo}. */
  takeUpTo({ userId, isMachine }: LimitedCaller, points: number): Admission | Promise<Admission> {
    return (isMachine ? this.machines : this.users).takeUpTo(userId, points);
  }

  /** Forgets what was counted for a user. */
  forget(userId: string): Promise<void> {
    return this.users.forget(userId);
  }
}

/**
 * The limit on the browser tokens minted for one user at one hirer (`RATE_LIMIT_MINTS_PER_MINUTE`). A key is the user's
 * pseudonym, a space and the hirer, so that `forget` with the pseudonym forgets the user.
 */
@Injectable()
export class MintLimit extends RateLimit {
  constructor(
    @Inject(CONFIG) config: Pick<Config, 'RATE_LIMIT_MINTS_PER_MINUTE'>,
    @Optional() @Inject(REDIS) redis?: RedisConnection,
  ) {
    super('mints', config.RATE_LIMIT_MINTS_PER_MINUTE, redis);
  }
}
