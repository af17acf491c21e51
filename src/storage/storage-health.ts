import type { Health } from '../telemetry/health.js';
import type { Database } from './database.js';
import type { SharedCache } from './shared-cache.js';

/** Registers the checks of storage: nothing can be decided without the database; everything works without the cache. */
export function registerStorageHealth(health: Health, database: Database, cache: SharedCache): void {
  health.register('database', async () => {
    await database.ping();
    return { state: 'up' };
  });
  health.register('cache', () =>
    cache.ping().then(
      () => ({ state: 'up' }) as const,
      () =>
        ({
          state: 'degraded',
          reason: 'Redis does not answer; replicas do not share tokens and limits',
        }) as const,
    ),
  );
}
