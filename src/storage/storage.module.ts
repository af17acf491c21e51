import {
  Global,
  Inject,
  Module,
  Optional,
  type DynamicModule,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { CONFIG, type Config } from '../config/load-config.js';
import { Conditions } from '../telemetry/conditions/conditions.js';
import { Health } from '../telemetry/health.js';
import { LOG, type Log } from '../telemetry/log.js';
import { Database } from './database.js';
import { OneTimeValues } from './one-time-values.js';
import { openDatabase } from './open-database.js';
import type { RedisConnection } from './redis/redis-connection.js';
import { takesNoWrites } from './postgres/postgres-fault.js';
import { REDIS, SharedCache } from './shared-cache.js';

/**
 * Storage: one database handle (embedded SQLite, or PostgreSQL for replicas) for what must not be lost, and one cache
 * handle (Redis, or none) for what may be. Public interface: {@link Database}, {@link SharedCache}, {@link OneTimeValues}
 * and {@link REDIS}; other modules build their own stores on them. Only the drivers in use are loaded. Without the database the replica is
 * not ready; without the cache everything works. It closes after every module that writes.
 */
@Global()
@Module({
  providers: [
    { provide: REDIS, inject: [CONFIG, Conditions, LOG], useFactory: openRedis },
    SharedCache,
    OneTimeValues,
  ],
  exports: [OneTimeValues, REDIS, SharedCache],
})
export class StorageModule implements OnApplicationShutdown {
  /** Opens the database at once, which takes as long as building the modules that do not need it. */
  static with(config: Config, log: Log): DynamicModule {
    const opening = openDatabase(config, log);
    opening.catch(() => undefined); // Nest waits for it later, and gets the error then
    return {
      module: StorageModule,
      providers: [
        {
          provide: Database,
          inject: [Conditions],
          useFactory: async (conditions: Conditions) => {
            const database = await opening;
            database.reports = conditions.calls('database-failing', 'database');
            return database;
          },
        },
      ],
      exports: [Database],
    };
  }

  constructor(
    private readonly database: Database,
    @Optional() @Inject(REDIS) private readonly redis: RedisConnection | undefined,
    health: Health,
    conditions: Conditions,
  ) {
    const fault = (): Promise<Error | void> => database.ping().catch((error: Error) => error);
    health.register('database', async () => {
      const error = await fault();
      if (!error) return { state: 'up' };
      return { state: 'down', reason: takesNoWrites(error) ? 'takes no writes' : 'cannot be reached' };
    });
    // where most calls read, one that takes no writes fails too few of them
    conditions.figure('database-failing', async () => {
      const error = await fault();
      return error && database.reports?.fault === undefined ? error.message : undefined;
    });
    health.register('cache', () => conditions.checkOf('redis-failing'));
  }

  async onApplicationShutdown(): Promise<void> {
    this.redis?.close();
    await this.database.close();
  }
}

async function openRedis(
  { REDIS_URL }: Config,
  conditions: Conditions,
  log: Log,
): Promise<RedisConnection | undefined> {
  if (!REDIS_URL) return undefined;
  const { RedisConnection } = await import('./redis/redis-connection.js');
  const redis = new RedisConnection(REDIS_URL, conditions.calls('redis-failing', 'Redis'), log);
  await redis.opened();
  return redis;
}
