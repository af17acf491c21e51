import { Global, Module, type DynamicModule } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { CONFIG, type Config } from '../config/load-config.js';
import { Secrets } from '../config/secrets.js';
import { HirerAccessModule } from '../hirer-access/hirer-access.module.js';
import { OperationsModule } from '../operations/operations.module.js';
import { Database } from '../storage/database.js';
import { Retention } from '../storage/retention.js';
import { Conditions } from '../telemetry/conditions/conditions.js';
import { Health } from '../telemetry/health.js';
import { LOG, type Log } from '../telemetry/log.js';
import { TokenModule } from '../token/token.module.js';
import { DeliveryWorkers } from './deliver/delivery-workers.js';
import { EventObjects } from './deliver/event-objects.js';
import { openSinks, SINKS } from './deliver/sinks/open-sinks.js';
import type { Sink } from './deliver/sinks/sink.js';
import { EventsController } from './events.ops.controller.js';
import { WebhooksController } from './receive/webhooks.controller.js';
import { EventReconciliation } from './reconcile/event-reconciliation.js';
import { EventBacklog } from './store/event-backlog.js';
import { EventInbox } from './store/event-inbox.js';
import { EventNotices } from './store/event-notices.js';
import { EventRecords } from './store/event-records.js';
import { EventRetention } from './store/event-retention.js';
import { EventSinks } from './store/event-sinks.js';
import { EventRedelivery } from './store/redeliver-events.js';
import { RelationshipWatch } from './store/relationship-watch.js';
import { EventStreamRoutes, EventStreams } from './stream/event-streams.js';
import { StreamedEvents } from './stream/streamed-events.js';
import { WebhookMetrics } from './webhook-metrics.js';

/**
 * Webhooks: every change event of the upstream (interface 6), stored once, delivered, streamed, and reconciled with the
 * `events` query. Public interface: `POST /webhooks`, `GET /events/stream`, and the ops routes. An acknowledged event is
 * on disk; an event on disk is delivered at least once; each event id is new exactly once, and a fuller copy completes it.
 */
@Global() // the search for hirers asks it for EventRecords: importing this would make a second one
@Module({
  imports: [AuthModule, TokenModule, HirerAccessModule, OperationsModule],
  controllers: [EventsController],
  providers: [
    { provide: SINKS, inject: [CONFIG, Secrets], useFactory: openSinks },
    {
      provide: EventSinks,
      inject: [SINKS],
      useFactory: (sinks: readonly Sink[]) => new EventSinks(sinks.map(({ settings }) => settings)),
    },
    EventNotices,
    EventBacklog,
    WebhookMetrics,
    EventInbox,
    EventObjects,
    DeliveryWorkers,
    EventReconciliation,
    EventRecords,
    EventRedelivery,
    EventRetention,
    {
      provide: Retention,
      inject: [EventRetention, Database, CONFIG, LOG],
      useFactory: (events: EventRetention, database: Database, config: Config, log: Log) =>
        new Retention(events, config.EVENT_RETENTION_DAYS, database, log),
    },
    RelationshipWatch,
    StreamedEvents,
    EventStreams,
    EventStreamRoutes,
  ],
  exports: [EventRecords],
})
export class WebhooksModule {
  /** Without secrets, there is no route for webhooks. */
  static with({ WEBHOOK_SECRETS }: Pick<Config, 'WEBHOOK_SECRETS'>): DynamicModule {
    const controllers = WEBHOOK_SECRETS.length > 0 ? [WebhooksController] : [];
    return { module: WebhooksModule, controllers };
  }

  constructor(sinks: EventSinks, conditions: Conditions, health: Health) {
    if (sinks.names.length > 0) health.register('event-sink', () => conditions.checkOf('deliveries-failing'));
  }
}
