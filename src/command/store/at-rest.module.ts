import { Module, type DynamicModule } from '@nestjs/common';
import { AuditTrail } from '../../audit/audit-trail.js';
import { OpsAudit } from '../../audit/ops-audit.js';
import { UserIds } from '../../auth/user-ids.js';
import { ConfigModule } from '../../config/config.module.js';
import { CONFIG, type Config } from '../../config/load-config.js';
import { SqlMemberships } from '../../hirer-access/sources/sql-memberships.js';
import { MembershipsService } from '../../hirer-access/memberships.service.js';
import { MembershipsController } from '../../hirer-access/memberships.controller.js';
import { BackupController } from '../../ops/backup.ops.controller.js';
import { UserData } from '../../ops/users/user-data.js';
import { UserTraces } from '../../ops/users/user-traces.js';
import { UsersController } from '../../ops/users/users.ops.controller.js';
import { StorageModule } from '../../storage/storage.module.js';
import { TelemetryModule, type Telemetry } from '../../telemetry/telemetry.module.js';
import { BrowserTokens } from '../../token/browser-tokens.js';
import { MintLimit, RequestLimit } from '../../token/rate-limits.js';
import { SharedTokens } from '../../token/shared-tokens.js';
import { EventDeliverer } from '../../webhooks/deliver/event-deliverer.js';
import { sinksOf } from '../../webhooks/deliver/sinks/open-sinks.js';
import { EventsController } from '../../webhooks/events.ops.controller.js';
import { EventCounts } from '../../webhooks/store/records/event-counts.js';
import { EventRecords } from '../../webhooks/store/records/event-records.js';
import { EventSinks } from '../../webhooks/store/event-sinks.js';
import { EventRedelivery } from '../../webhooks/store/redeliver-events.js';
import { RelationshipChanges } from '../../webhooks/store/relationship-changes.js';

/**
 * The store without a service: the ops routes that read and change it, and nothing that runs by itself. What is queued
 * here for delivery, the next service on this store delivers.
 */
@Module({})
export class AtRestModule {
  static with(config: Config, telemetry: Telemetry): DynamicModule {
    return {
      module: AtRestModule,
      imports: [
        ConfigModule.with(config),
        TelemetryModule.with(telemetry),
        StorageModule.with(config, telemetry.log),
      ],
      controllers: [MembershipsController, UsersController, EventsController, BackupController],
      providers: [
        AuditTrail,
        OpsAudit,
        UserIds,
        SqlMemberships,
        MembershipsService,
        RequestLimit,
        MintLimit,
        SharedTokens,
        { provide: BrowserTokens, useExisting: SharedTokens },
        UserTraces,
        UserData,
        { provide: EventSinks, inject: [CONFIG], useFactory: (own: Config) => new EventSinks(sinksOf(own)) },
        EventCounts,
        EventRecords,
        EventRedelivery,
        RelationshipChanges,
        // what is queued here, the next service on this store delivers
        { provide: EventDeliverer, useValue: { wake: () => undefined, faultOf: () => undefined } },
      ],
    };
  }
}
