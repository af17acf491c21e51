import {
  Module,
  type DynamicModule,
  type INestApplicationContext,
  type InjectionToken,
  type Provider,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { AuditTrail } from './audit/audit-trail.js';
import { AuditController } from './audit/audit.ops.controller.js';
import { UserIds } from './auth/user-ids.js';
import { CONFIG } from './config/load-config.js';
import { Secrets } from './config/secrets.js';
import { DatabaseMemberships } from './hirer-access/database-memberships.js';
import { HirerMemberships } from './hirer-access/memberships.js';
import { MembershipsController } from './hirer-access/memberships.ops.controller.js';
import { AdministrationController } from './ops/administration.ops.controller.js';
import { DashboardFeed } from './ops/dashboard/dashboard-feed.js';
import { DashboardController } from './ops/dashboard/dashboard.ops.controller.js';
import { HealthController } from './ops/health.ops.controller.js';
import { HirerSearch } from './ops/hirer-search.js';
import { KeyReload } from './ops/key-reload.js';
import { KeysController } from './ops/keys.ops.controller.js';
import { MetricsController } from './ops/metrics.ops.controller.js';
import { requireOpsToken } from './ops/ops-token.js';
import { SearchController } from './ops/search.ops.controller.js';
import { SecretRotation } from './ops/secret-rotation.js';
import { Health } from './telemetry/health.js';
import { LOG } from './telemetry/log.js';
import { Metrics } from './telemetry/metrics.js';
import { EventAdministration } from './webhooks/event-administration.js';
import { EventsController } from './webhooks/events.ops.controller.js';
import { RedeliveryAdministration } from './webhooks/redeliver/redelivery-administration.js';

/** What the ops controllers use; all of it belongs to the public application. */
const LENT: readonly InjectionToken[] = [
  CONFIG,
  LOG,
  Secrets,
  Health,
  Metrics,
  AuditTrail,
  HirerMemberships,
  EventAdministration,
  RedeliveryAdministration,
  UserIds,
  DatabaseMemberships,
  HirerSearch,
  SecretRotation,
  KeyReload,
  DashboardFeed,
];

const HOOKS: ReadonlySet<string | symbol> = new Set([
  'onModuleInit',
  'onApplicationBootstrap',
  'onModuleDestroy',
  'beforeApplicationShutdown',
  'onApplicationShutdown',
]);

/**
 * The application behind the ops listener. It is separate so that none of its routes can be reached on the public port,
 * whatever a request looks like. It holds the check of the ops token and controllers, and borrows every service from the
 * public application.
 */
@Module({})
export class OpsAppModule {
  /** The hook is added before Nest registers the controllers' routes, which it does after building this class. */
  constructor({ httpAdapter }: HttpAdapterHost, secrets: Secrets) {
    requireOpsToken(httpAdapter.getInstance<FastifyInstance>(), () => secrets.current.OPS_TOKEN);
  }

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
        SearchController,
      ],
      providers: LENT.map((token) => lend(app, token)),
    };
  }
}

/** An instance of `app`. Its lifecycle hooks are hidden, or it would be started and stopped a second time. */
function lend(app: INestApplicationContext, token: InjectionToken): Provider {
  return { provide: token, useFactory: () => withoutHooks(app.get<object>(token, { strict: false })) };
}

function withoutHooks(instance: object): object {
  if (![...HOOKS].some((hook) => hook in instance)) return instance;
  return new Proxy(instance, {
    get: (target, name) => (HOOKS.has(name) ? undefined : (Reflect.get(target, name) as unknown)),
  });
}
