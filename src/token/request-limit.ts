import { Inject, Injectable, Optional } from '@nestjs/common';
import { CONFIG, type Config } from '../config/load-config.js';
import { RateLimit } from '../storage/limits/rate-limit.js';
import type { RedisConnection } from '../storage/redis/redis-connection.js';
import { REDIS } from '../storage/redis/redis.js';

/** The limit on the requests of one user, shared by every public route (`RATE_LIMIT_REQUESTS_PER_MINUTE`). */
@Injectable()
export class RequestLimit extends RateLimit {
  constructor(
    @Inject(CONFIG) config: Pick<Config, 'RATE_LIMIT_REQUESTS_PER_MINUTE'>,
    @Optional() @Inject(REDIS) redis?: RedisConnection,
  ) {
    super('requests', config.RATE_LIMIT_REQUESTS_PER_MINUTE, redis);
  }
}
