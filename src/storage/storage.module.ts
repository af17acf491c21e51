import { Global, Inject, Module, Optional } from '@nestjs/common';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/load-config.js';
import { Health } from '../telemetry/health.js';
import type { Log } from '../telemetry/log.js';
import { Metrics } from '../telemetry/metrics.js';
import { LOG } from '../telemetry/telemetry.module.js';
import type { Database } from './database.js';
import { openDatabase } from './open-database.js';
import type { RedisConnection } from './redis-connection.js';
import { reportRedis } from './report-redis.js';
import { NoSharedCache, type SharedCache } from './shared-cache.js';
import { registerStorageHealth } from './storage-health.js';

/** Injection token of the {@link Database} handle. */
export const DATABASE = Symbol('DATABASE');
/** Injection token of the {@link SharedCache}. */
export const SHARED_CACHE = Symbol('SHARED_CACHE');
/** Injection token of the {@link RedisConnection}, undefined without `REDIS_URL`. */
export const REDIS = Symbol('REDIS');

/**
 * Storage: one database handle (embedded SQLite, or PostgreSQL for replicas) that keeps what must not be lost, and one
 * cache handle (Redis, or none) for what may be. Modules put their own stores on top. Only the drivers in use are loaded.
 */
@Global()
@Module({
  providers: [
    { provide: DATABASE, inject: [CONFIG], useFactory: (config: Config) => openDatabase(config) },
    {
      provide: REDIS,
      inject: [CONFIG],
      useFactory: async ({ REDIS_URL }: Config): Promise<RedisConnection | undefined> => {
        if (!REDIS_URL) return undefined;
        const { RedisConnection } = await import('./redis-connection.js');
        const redis = new RedisConnection(REDIS_URL);
        await redis.opened();
        return redis;
      },
    },
    {
      provide: SHARED_CACHE,
      inject: [{ token: REDIS, optional: true }],
      useFactory: async (redis?: RedisConnection): Promise<SharedCache> =>
        redis ? new (await import('./redis-cache.js')).RedisCache(redis) : new NoSharedCache(),
    },
  ],
  exports: [DATABASE, REDIS, SHARED_CACHE],
})
export class StorageModule {
  constructor(
    @Inject(DATABASE) database: Database,
    @Inject(SHARED_CACHE) cache: SharedCache,
    @Optional() @Inject(REDIS) redis: RedisConnection | undefined,
    @Inject(Health) health: Health,
    @Inject(Metrics) metrics: Metrics,
    @Inject(LOG) log: Log,
  ) {
    registerStorageHealth(health, database, cache);
    if (redis) reportRedis(redis, log, metrics);
  }
}
