import 'reflect-metadata';
import { Readable } from 'node:stream';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { AuditStore } from '../../audit/audit-store.js';
import { AuditTrail } from '../../audit/audit-trail.js';
import { OpsAudit } from '../../audit/ops-audit.js';
import { UserIds } from '../../auth/user-ids.js';
import { ConfigModule } from '../../config/config.module.js';
import { CONFIG, loadConfig, type Config, type Environment } from '../../config/load-config.js';
import { MembershipsController } from '../../hirer-access/memberships.controller.js';
import { MembershipsService } from '../../hirer-access/memberships.service.js';
import { SqlMemberships } from '../../hirer-access/sources/sql-memberships.js';
import { createListener } from '../../http/incoming/listener.js';
import { ProblemFilter } from '../../http/incoming/problem.filter.js';
import { BackupController } from '../../ops/backup.ops.controller.js';
import { UserData } from '../../ops/users/user-data.js';
import { UserTraces } from '../../ops/users/user-traces.js';
import { UsersController } from '../../ops/users/users.ops.controller.js';
import { StorageModule } from '../../storage/storage.module.js';
import { Conditions } from '../../telemetry/conditions/conditions.js';
import { Health } from '../../telemetry/health.js';
import { openLog } from '../../telemetry/log.js';
import { Metrics } from '../../telemetry/metrics.js';
import { TelemetryModule } from '../../telemetry/telemetry.module.js';
import { BrowserTokens } from '../../token/browser-tokens.js';
import { RequestLimit } from '../../token/rate-limits.js';
import { SharedTokens } from '../../token/shared-tokens.js';
import { DeliveryWorkers } from '../../webhooks/deliver/delivery-workers.js';
import { sinksOf } from '../../webhooks/deliver/sinks/sink.js';
import { EventsController } from '../../webhooks/events.ops.controller.js';
import { EventSinks } from '../../webhooks/store/event-sinks.js';
import { EventRecords } from '../../webhooks/store/event-records.js';
import { EventRedelivery } from '../../webhooks/store/redeliver-events.js';
import type { CommandFault } from '../command.js';
import { StoreRoutes, type RouteRequest } from './store-routes.js';

/**
 * The store without a service: the ops routes that read and change it, and nothing that runs by itself. What is queued
 * here for delivery, the next service on this store delivers.
 */
@Module({
  controllers: [MembershipsController, UsersController, EventsController, BackupController],
  providers: [
    AuditStore,
    AuditTrail,
    OpsAudit,
    UserIds,
    SqlMemberships,
    MembershipsService,
    RequestLimit,
    SharedTokens,
    { provide: BrowserTokens, useExisting: SharedTokens },
    UserTraces,
    UserData,
    {
      provide: EventSinks,
      inject: [CONFIG],
      useFactory: (config: Config) => new EventSinks(sinksOf(config)),
    },
    EventRecords,
    EventRedelivery,
    { provide: DeliveryWorkers, useValue: { wake: () => undefined } },
  ],
})
class AtRestModule {}

/** The routes of a store that no service answers for, in this process: no port is opened. */
export class StoreAtRest extends StoreRoutes {
  private constructor(
    private readonly app: NestFastifyApplication,
    private readonly listener: FastifyInstance,
  ) {
    super();
  }

  /**
   * Opens the store that the settings of the service name, and brings its schema up to date as a start does.
   * @param absence why there is none in playground mode, whose store a running playground alone uses
   * @throws ConfigError, UnavailableError as a start does
   */
  static async open(environment: Environment, absence: CommandFault): Promise<StoreAtRest> {
    const config = loadConfig(environment);
    if (config.playground) throw absence;
    const log = openLog(
      { ...config, LOG_LEVEL: 'warn' },
      { write: (line) => void process.stderr.write(line) },
    );
    const telemetry = { log, metrics: new Metrics(), health: new Health(), conditions: new Conditions() };
    const listener = createListener(config, () => undefined);
    const adapter = new FastifyAdapter(Object.assign(listener, { skipMiddie: true }));
    const settings = [
      ConfigModule.with(config),
      TelemetryModule.with(telemetry),
      StorageModule.with(config, log),
    ];
    const app = await NestFactory.create<NestFastifyApplication>(
      { module: AtRestModule, imports: settings },
      adapter,
      { logger: false, bodyParser: false, abortOnError: false },
    );
    await app.useGlobalFilters(new ProblemFilter()).init();
    return new StoreAtRest(app, listener);
  }

  /** Resolves once what was done is on disk, its audit records included. */
  close(): Promise<void> {
    return this.app.close();
  }

  protected override async send(url: string, { method, headers, body }: RouteRequest): Promise<Response> {
    const answer = await this.listener.inject({
      method,
      url,
      headers: { ...headers },
      remoteAddress: 'process',
      payloadAsStream: true,
      ...(body !== undefined && { payload: body }),
    });
    const isEmpty = answer.statusCode === 204;
    return new Response(isEmpty ? null : (Readable.toWeb(answer.stream()) as ReadableStream), {
      status: answer.statusCode,
    });
  }
}
