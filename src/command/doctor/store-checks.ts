import type { Config } from '../../config/load-config.js';
import { examineStore, type StoreFinding } from '../../storage/examine-store.js';
import type { RunningService } from '../store/running-service.js';
import type { Clocks } from './clocks.js';
import { ok, warn, type Check, type Result } from './finding.js';

const RESTORE = 'the message says what to change; docs/configuration.md explains the setting';

/** Database and Redis. An embedded database that a running service uses is asked of that service. */
export function storeChecks(config: Config, service: RunningService, clocks: Clocks): Check[] {
  return [
    {
      name: 'database',
      todo: `check ${config.DATABASE_URL ? 'DATABASE_URL' : 'DATA_DIR'}: ${RESTORE}`,
      run: async () => {
        const isInUse = config.DATABASE_URL === undefined && (await service.isThere());
        return isInUse
          ? ok('embedded, in use by the running service')
          : toResult('database', await examineStore(config), clocks);
      },
    },
    {
      name: 'redis',
      todo: 'check REDIS_URL, its server, and what its user may do; without Redis each replica goes on alone',
      run: async () => {
        if (config.REDIS_URL === undefined) return ok('not set: limits and tokens are kept in memory');
        const { examineRedis } = await import('../../storage/redis/examine-redis.js');
        return toResult('redis', await examineRedis(config.REDIS_URL), clocks);
      },
    },
  ];
}

function toResult(peer: string, { seen, serverTime, todo }: StoreFinding, clocks: Clocks): Result {
  clocks.note(peer, serverTime);
  return todo === undefined ? ok(seen) : warn(seen, todo);
}
