import { Global, Module } from '@nestjs/common';
import { CONFIG, type Config } from '../config/load-config.js';
import { Database } from '../storage/database.js';
import { Retention } from '../storage/retention.js';
import { LOG, type Log } from '../telemetry/log.js';
import { AuditStore } from './audit-store.js';
import { AuditTrail } from './audit-trail.js';
import { AuditController } from './audit.ops.controller.js';
import { OpsAudit } from './ops-audit.js';
import { RequestRecorder } from './request-recorder.js';

/**
 * Audit: one record for each request that asks for tokens or data, and for each action on the ops listener. Public
 * interface: `audit` in the options of a route, {@link OpsAudit}, and {@link AuditTrail} for what concerns one user. A
 * record never holds a token, and writing one never delays a request.
 */
@Global()
@Module({
  controllers: [AuditController],
  providers: [
    AuditStore,
    AuditTrail,
    OpsAudit,
    {
      provide: Retention,
      inject: [AuditStore, Database, CONFIG, LOG],
      useFactory: (store: AuditStore, database: Database, config: Config, log: Log) =>
        new Retention(store, config.AUDIT_RETENTION_DAYS, database, log),
    },
    RequestRecorder,
  ],
  exports: [AuditTrail, OpsAudit],
})
export class AuditModule {}
