import { Module } from '@nestjs/common';
import { CONFIG } from '../config/config.module.js';
import { subscriptionSecrets, webhookSecrets, type Config } from '../config/load-config.js';
import type { Log } from '../ops/log.js';
import { Metrics } from '../ops/metrics.js';
import { LOG } from '../ops/ops.module.js';
import type { Database } from '../storage/database.js';
import { DATABASE } from '../storage/storage.module.js';
import { EventCounts } from './event-counts.js';
import { EventInbox } from './event-inbox.js';
import { EventNotices } from './event-notices.js';
import { WebhookMetrics } from './webhook-metrics.js';
import { WebhookReceiver } from './webhook-receiver.js';
import { WebhookSignatures } from './webhook-signatures.js';

/**
 * Webhooks: every change event of the upstream (interface 6), received once, kept, delivered on, and reconciled with the
 * `events` query. Doors: `POST /webhooks`, `GET /events/stream`, and the ops routes. What was acknowledged is on disk;
 * what is on disk is delivered at least once; an event is new once, by its id.
 */
@Module({
  providers: [
    {
      provide: EventNotices,
      inject: [DATABASE],
      useFactory: (database: Database) => new EventNotices(database),
    },
    {
      provide: WebhookMetrics,
      inject: [Metrics, DATABASE],
      useFactory: (metrics: Metrics, database: Database) =>
        new WebhookMetrics(metrics, new EventCounts(database)),
    },
    {
      provide: EventInbox,
      inject: [DATABASE, EventNotices],
      useFactory: (database: Database, notices: EventNotices) =>
        new EventInbox(database, { isWanted: () => false, redeliverAfterMs: undefined }, notices),
    },
    {
      provide: WebhookReceiver,
      inject: [CONFIG, EventInbox, WebhookMetrics, LOG],
      useFactory: openReceiver,
    },
  ],
  exports: [WebhookReceiver],
})
export class WebhooksModule {}

function openReceiver(config: Config, inbox: EventInbox, metrics: WebhookMetrics, log: Log): WebhookReceiver {
  const signatures = new WebhookSignatures({
    algorithm: config.WEBHOOK_SIGNATURE_ALGORITHM,
    secrets: webhookSecrets(config),
    subscriptionSecrets: subscriptionSecrets(config),
    unsignedSubscriptions: config.WEBHOOK_UNSIGNED_SUBSCRIPTIONS,
  });
  return new WebhookReceiver(signatures, config.WEBHOOK_SIGNATURE_HEADER, inbox, metrics, log);
}
