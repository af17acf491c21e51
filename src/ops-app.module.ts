import {
  Module,
  type DynamicModule,
  type INestApplicationContext,
  type InjectionToken,
} from '@nestjs/common';
import { KeyReload } from './ops/key-reload.js';
import { KeysController } from './ops/keys.ops.controller.js';
import { CONFIG } from './config/load-config.js';
import { HirerMemberships } from './hirer-access/memberships.js';
import { MembershipsController } from './hirer-access/memberships.ops.controller.js';
import { AdministrationController } from './ops/administration.ops.controller.js';
import { AuditTrail } from './audit/audit-trail.js';
import { AuditController } from './audit/audit.ops.controller.js';
import { DashboardFeed } from './ops/dashboard/dashboard-feed.js';
import { DashboardController } from './ops/dashboard/dashboard.ops.controller.js';
import { Health } from './telemetry/health.js';
import { HealthController } from './ops/health.ops.controller.js';
import { Metrics } from './telemetry/metrics.js';
import { MetricsController } from './ops/metrics.ops.controller.js';
import { EventAdministration } from './webhooks/event-administration.js';
import { EventsController } from './webhooks/events.ops.controller.js';
import { LOG } from './telemetry/log.js';
import { SecretRotation } from './ops/secret-rotation.js';

/** What the ops controllers use of the service; all of it lives in the public application. */
const LENT: readonly InjectionToken[] = [
  CONFIG,
  AuditTrail,
  Health,
  Metrics,
  DashboardFeed,
  SecretRotation,
  KeyReload,
  HirerMemberships,
  EventAdministration,
  LOG,
];

/**
 * The application behind the ops listener: a second one, so that no route of it can be reached on the public port
 * whatever the request looks like. It holds controllers only and borrows every service from the first.
 */
@Module({})
export class OpsAppModule {
  static over(app: INestApplicationContext): DynamicModule {
    return {
      module: OpsAppModule,
      controllers: [
        HealthController,
        MetricsController,
        AuditController,
        AdministrationController,
        KeysController,
        DashboardController,
        MembershipsController,
        EventsController,
      ],
      providers: LENT.map((token) => ({
        provide: token,
        useFactory: (): unknown => app.get(token, { strict: false }),
      })),
    };
  }
}
