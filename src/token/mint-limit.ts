import { Inject, Injectable, Optional } from '@nestjs/common';
import { CONFIG, type Config } from '../config/load-config.js';
import { RateLimit } from '../storage/limits/rate-limit.js';
import type { RedisConnection } from '../storage/redis/redis-connection.js';
import { REDIS } from '../storage/redis/redis.js';
import { tupleKey } from './cache-key.js';

/** The limit on the browser tokens minted for one user at one hirer (`RATE_LIMIT_MINTS_PER_MINUTE`). */
@Injectable()
export class MintLimit extends RateLimit {
  constructor(
    @Inject(CONFIG) config: Pick<Config, 'RATE_LIMIT_MINTS_PER_MINUTE'>,
    @Optional() @Inject(REDIS) redis?: RedisConnection,
  ) {
    super('mints', config.RATE_LIMIT_MINTS_PER_MINUTE, redis);
  }

  /** Forgets what was counted for a user at any hirer. */
  forgetUser(userId: string): Promise<void> {
    return this.forget(tupleKey([userId]));
  }
}
