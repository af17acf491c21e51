import { Inject, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config } from '../config/load-config.js';
import { Secrets } from '../config/secrets.js';
import { HirerAccess } from '../hirer-access/hirer-access.js';
import { HirerAccessModule } from '../hirer-access/hirer-access.module.js';
import { AuditTrail } from '../audit/audit-trail.js';
import { type Log, LOG } from '../telemetry/log.js';
import { Metrics } from '../telemetry/metrics.js';
import { Database } from '../storage/database.js';
import { BrowserTokens } from '../token/browser-tokens.js';
import { HirerNames } from '../token/hirer-names.js';
import { PartnerTokens } from '../token/partner-tokens.js';
import { TokenModule } from '../token/token.module.js';
import { GraphqlEndpoint } from '../upstream/graphql-endpoint.js';
import { EventAdministration } from './event-administration.js';
import { EventCounts } from './store/event-counts.js';
import { EventDeliverer } from './deliver/event-deliverer.js';
import { EVENT_HANDLERS } from './deliver/event-handler.js';
import { EventInbox } from './store/event-inbox.js';
import { EventNotices } from './store/event-notices.js';
import { EventReconciliation } from './reconcile/event-reconciliation.js';
import { EventRecords } from './store/event-records.js';
import { EventRetention } from './store/event-retention.js';
import type { EventSink } from './deliver/event-sink.js';
import { EventStreams } from './stream/event-streams.js';
import type { InsertPolicy } from './store/insert-events.js';
import { insertPolicy, listTargets, openDeliverer, openSink } from './deliver/open-delivery.js';
import { openReceiver } from './receive/open-receiver.js';
import { RelationshipChanges } from './store/relationship-changes.js';
import { RelationshipWatch, type HirerForgetter } from './store/relationship-watch.js';
import { StreamedEvents } from './stream/streamed-events.js';
import { WebhookMetrics } from './webhook-metrics.js';
import { WebhookRoutes } from './receive/webhook-routes.js';
import { EventStreamRoutes } from './stream/event-stream-routes.js';
import { WebhookReceiver } from './receive/webhook-receiver.js';

const SINK = Symbol('EVENT_SINK');
const TARGETS = Symbol('EVENT_TARGETS');
const RECONCILIATION = Symbol('RECONCILIATION');
const INSERT_POLICY = Symbol('INSERT_POLICY');

/**
 * Webhooks: every change event of the upstream (interface 6), received once, kept, delivered on, and reconciled with the
 * `events` query. Public interface: `POST /webhooks`, `GET /events/stream`, and the ops routes. What was acknowledged is on disk;
 * what is on disk is delivered at least once; an event is new once, by its id.
 */
@Module({
  imports: [TokenModule, HirerAccessModule],
  providers: [
    WebhookRoutes,
    EventStreamRoutes,
    { provide: EVENT_HANDLERS, useValue: [] },
    { provide: SINK, inject: [CONFIG, Secrets], useFactory: openSink },
    { provide: TARGETS, inject: [SINK, EVENT_HANDLERS, LOG], useFactory: listTargets },
    { provide: INSERT_POLICY, inject: [CONFIG, TARGETS], useFactory: insertPolicy },
    {
      provide: EventNotices,
      inject: [Database],
      useFactory: (database: Database) => new EventNotices(database),
    },
    {
      provide: WebhookMetrics,
      inject: [Metrics, Database],
      useFactory: (metrics: Metrics, database: Database) =>
        new WebhookMetrics(metrics, new EventCounts(database)),
    },
    {
      provide: EventInbox,
      inject: [Database, INSERT_POLICY, EventNotices],
      useFactory: (database: Database, policy: InsertPolicy, notices: EventNotices) =>
        new EventInbox(database, policy, notices),
    },
    {
      provide: WebhookReceiver,
      inject: [CONFIG, Secrets, EventInbox, WebhookMetrics, LOG],
      useFactory: openReceiver,
    },
    {
      provide: EventDeliverer,
      inject: [CONFIG, Database, TARGETS, WebhookMetrics, LOG],
      useFactory: openDeliverer,
    },
    {
      provide: EventRecords,
      inject: [Database],
      useFactory: (database: Database) => new EventRecords(database),
    },
    {
      provide: EventRetention,
      inject: [CONFIG, EventRecords, LOG],
      useFactory: (config: Config, records: EventRecords, log: Log) =>
        new EventRetention(records, config.EVENT_RETENTION_DAYS, log),
    },
    {
      provide: RECONCILIATION,
      inject: [
        CONFIG,
        Database,
        GraphqlEndpoint,
        PartnerTokens,
        INSERT_POLICY,
        EventNotices,
        WebhookMetrics,
        LOG,
      ],
      useFactory: openReconciliation,
    },
    {
      provide: RelationshipWatch,
      inject: [Database, EventNotices, BrowserTokens, HirerNames, LOG],
      useFactory: (
        database: Database,
        notices: EventNotices,
        tokens: BrowserTokens,
        names: HirerNames,
        log: Log,
      ) => new RelationshipWatch(database, notices, forgetHirer(tokens, names), log),
    },
    {
      provide: EventStreams,
      inject: [Database, HirerAccess, LOG],
      useFactory: (database: Database, access: HirerAccess, log: Log) =>
        new EventStreams(new StreamedEvents(database), access, log),
    },
    {
      provide: EventAdministration,
      inject: [EventRecords, Database, EventDeliverer, AuditTrail],
      useFactory: (records: EventRecords, database: Database, deliverer: EventDeliverer, audit: AuditTrail) =>
        new EventAdministration(records, new RelationshipChanges(database), deliverer, audit),
    },
  ],
  exports: [EventAdministration],
})
export class WebhooksModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    @Inject(EventDeliverer) private readonly deliverer: EventDeliverer,
    @Inject(EventNotices) private readonly notices: EventNotices,
    @Inject(EventRetention) private readonly retention: EventRetention,
    @Inject(RelationshipWatch) private readonly relationships: RelationshipWatch,
    @Inject(EventStreams) private readonly streams: EventStreams,
    @Inject(RECONCILIATION) private readonly reconciliation: EventReconciliation | null,
    @Inject(SINK) private readonly sink: EventSink | null,
  ) {}

  onApplicationBootstrap(): void {
    this.notices.listen(() => this.deliverer.wake());
    this.deliverer.start();
    this.streams.follow(this.notices);
    this.relationships.start();
    this.retention.start();
    this.reconciliation?.start();
  }

  async onApplicationShutdown(): Promise<void> {
    this.relationships.stop();
    this.retention.stop();
    await this.reconciliation?.stop();
    await this.deliverer.stop();
    await this.sink?.close();
  }
}

function openReconciliation(
  config: Config,
  database: Database,
  graphql: GraphqlEndpoint,
  tokens: PartnerTokens,
  policy: InsertPolicy,
  notices: EventNotices,
  metrics: WebhookMetrics,
  log: Log,
): EventReconciliation | null {
  if (config.EVENTS_SCHEME_ID === undefined) return null;
  const settings = {
    schemeId: config.EVENTS_SCHEME_ID,
    pollMs: config.EVENTS_POLL_SECONDS * 1000,
    start: config.EVENTS_START,
  };
  return new EventReconciliation(settings, database, graphql, tokens, policy, notices, metrics, log);
}

function forgetHirer(tokens: BrowserTokens, names: HirerNames): HirerForgetter {
  return (hirerId) => {
    names.forget(hirerId);
    return tokens.dropHirer(hirerId);
  };
}
