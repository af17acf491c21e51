import { Global, Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/load-config.js';
import { Secrets } from '../config/secrets.js';
import type { Database } from '../storage/database.js';
import type { SharedCache } from '../storage/shared-cache.js';
import type { RedisConnection } from '../storage/redis-connection.js';
import { DATABASE, REDIS, SHARED_CACHE } from '../storage/storage.module.js';
import { AuditRetention } from './audit-retention.js';
import { AuditTrail } from './audit-trail.js';
import { DashboardFeed } from './dashboard-feed.js';
import { Health } from './health.js';
import type { Log } from './log.js';
import { Metrics } from './metrics.js';
import { reportRedis } from './report-redis.js';
import { SecretRotation } from './secret-rotation.js';

/** Injection token of the {@link Log}. */
export const LOG = Symbol('LOG');

/**
 * Ops: what the person on call sees. Rooms report to the log, the metrics, the audit trail and the health checks; ops
 * knows none of them. Its routes live on a listener of their own, never on the public port.
 */
@Global()
@Module({})
export class OpsModule implements OnApplicationShutdown {
  constructor(
    @Inject(AuditRetention) private readonly retention: AuditRetention,
    @Inject(SecretRotation) private readonly rotation: SecretRotation,
  ) {}

  static with(log: Log, metrics: Metrics): DynamicModule {
    return {
      module: OpsModule,
      providers: [
        { provide: LOG, useValue: log },
        { provide: Metrics, useValue: metrics },
        {
          provide: Health,
          inject: [DATABASE, SHARED_CACHE, { token: REDIS, optional: true }],
          useFactory: (database: Database, cache: SharedCache, redis?: RedisConnection) => {
            const health = storageHealth(database, cache);
            if (redis) reportRedis(redis, log, metrics);
            reportDependencies(health, metrics);
            return health;
          },
        },
        {
          provide: AuditTrail,
          inject: [DATABASE],
          useFactory: (database: Database) => new AuditTrail(database, log, metrics),
        },
        {
          provide: SecretRotation,
          inject: [Secrets, AuditTrail],
          useFactory: (secrets: Secrets, audit: AuditTrail) =>
            new SecretRotation(secrets, audit, log, metrics),
        },
        {
          provide: DashboardFeed,
          inject: [Health],
          useFactory: (health: Health) => new DashboardFeed(metrics, health),
        },
        {
          provide: AuditRetention,
          inject: [AuditTrail, CONFIG],
          useFactory: (trail: AuditTrail, config: Config) =>
            new AuditRetention(trail, config.AUDIT_RETENTION_DAYS, log),
        },
      ],
      exports: [LOG, Metrics, Health, AuditTrail, DashboardFeed, SecretRotation],
    };
  }

  onApplicationShutdown(): void {
    this.retention.close();
    this.rotation.close();
  }
}

const STATES = ['up', 'degraded', 'down'] as const;

function reportDependencies(health: Health, metrics: Metrics): void {
  metrics.gauge(
    'bff_dependency_state',
    'State of each dependency as /readyz has it: 1 for the state it is in, 0 for the others.',
    ['dependency', 'state'],
    async (gauge) => {
      const { checks } = await health.readiness();
      for (const [dependency, check] of Object.entries(checks)) {
        for (const state of STATES) gauge.set({ dependency, state }, check.state === state ? 1 : 0);
      }
    },
  );
}

/** The checks of storage: without the database nothing can be decided; without the cache all still works. */
function storageHealth(database: Database, cache: SharedCache): Health {
  const health = new Health();
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
  return health;
}
