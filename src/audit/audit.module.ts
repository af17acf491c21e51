import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/load-config.js';
import type { Database } from '../storage/database.js';
import { DATABASE } from '../storage/storage.module.js';
import type { Log } from '../telemetry/log.js';
import { Metrics } from '../telemetry/metrics.js';
import { LOG } from '../telemetry/telemetry.module.js';
import { AuditRetention } from './audit-retention.js';
import { AuditTrail } from './audit-trail.js';

/**
 * Audit: one record for each request that asks for tokens or data, and for each action on the ops listener. Public
 * interface: {@link AuditTrail}. A record never holds a token, and writing one never delays a request.
 */
@Global()
@Module({
  providers: [
    {
      provide: AuditTrail,
      inject: [DATABASE, LOG, Metrics],
      useFactory: (database: Database, log: Log, metrics: Metrics) => new AuditTrail(database, log, metrics),
    },
    {
      provide: AuditRetention,
      inject: [AuditTrail, CONFIG, LOG],
      useFactory: (trail: AuditTrail, config: Config, log: Log) =>
        new AuditRetention(trail, config.AUDIT_RETENTION_DAYS, log),
    },
  ],
  exports: [AuditTrail],
})
export class AuditModule implements OnApplicationShutdown {
  constructor(@Inject(AuditRetention) private readonly retention: AuditRetention) {}

  onApplicationShutdown(): void {
    this.retention.close();
  }
}
