import { Injectable } from '@nestjs/common';
import { Metrics } from '../telemetry/metrics.js';
import { EventSinks } from './store/event-sinks.js';
import { isDocumented, type Insertion } from './webhook-event.js';

/** What this module counts (docs/events.md). Types outside the documented ones are counted as `other`. */
@Injectable()
export class WebhookMetrics {
  readonly requests;
  readonly signatures;
  private readonly events;
  private readonly deliveries;

  constructor(
    metrics: Metrics,
    private readonly sinks: EventSinks,
  ) {
    this.requests = metrics.counter(
      'bff_webhook_requests_total',
      'Requests to /webhooks: accepted, cancelled (the sender left before the answer), or the error code.',
      ['outcome'],
    );
    this.signatures = metrics.counter(
      'bff_webhook_signatures_total',
      'Webhooks by the secret that signed them; "secret 1" is the newest of WEBHOOK_SECRETS.',
      ['signer'],
    );
    this.events = metrics.counter(
      'bff_webhook_events_total',
      'Events: stored, repeated, redelivered (a late repeat), reconciled (missed by the webhook), completed (by a fuller copy), conflict (new, with the id of another hirer’s event).',
      ['type', 'outcome'],
    );
    this.deliveries = metrics.counter(
      'bff_webhook_deliveries_total',
      'Attempts to deliver an event: delivered, failed (tried again later), dead.',
      ['outcome', ...sinks.labels],
    );
    for (const outcome of ['accepted', 'invalid_signature', 'unavailable']) this.requests.inc({ outcome }, 0);
    for (const sink of sinks.reported) {
      for (const outcome of ['delivered', 'failed', 'dead'] as const) this.delivery(sink, outcome, 0);
    }
  }

  event(type: string, outcome: Insertion | 'reconciled'): void {
    this.events.inc({ type: isDocumented(type) ? type : 'other', outcome });
  }

  delivery(sink: string, outcome: 'delivered' | 'failed' | 'dead', times = 1): void {
    this.deliveries.inc({ outcome, ...this.sinks.labelsOf(sink) }, times);
  }
}
