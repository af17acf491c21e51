import { Injectable } from '@nestjs/common';
import { LATE, within } from '../concurrency/within.js';
import { Conditions } from '../telemetry/conditions/conditions.js';
import { Metrics } from '../telemetry/metrics.js';
import { TIERS, type Tier } from './reconcile/events-query.js';
import { isDocumented } from './event-types.js';
import { BACKLOG_STATES, EventCounts } from './store/records/event-counts.js';
import type { Insertion } from './store/webhook-event.js';

const LATE_SECONDS = 600;

/** The metrics of this module (docs/events.md). Types outside the documented ones are counted as `other`. */
@Injectable()
export class WebhookMetrics {
  readonly requests;
  readonly signatures;
  readonly objects;
  readonly reconciliations;
  private readonly events;
  private readonly deliveries;
  /** Where there are several sinks, their series have a label. */
  private readonly sinkLabel: readonly 'sink'[];

  constructor(
    private readonly metrics: Metrics,
    private readonly counts: EventCounts,
    conditions: Conditions,
  ) {
    this.sinkLabel = counts.sinks.areSeveral ? ['sink'] : [];
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
      ['outcome', ...this.sinkLabel],
    );
    this.objects = metrics.counter(
      'bff_webhook_objects_total',
      'Attempts to get the object of an event: whole, partial (with errors), null, refused (delivered without), waiting (tried again later), given_up (delivered without).',
      ['outcome'],
    );
    this.reconciliations = metrics.counter(
      'bff_webhook_reconciliations_total',
      'Reconciliations with the events query: completed, limited, failed.',
      ['outcome'],
    );
    for (const outcome of ['accepted', 'invalid_signature', 'unavailable']) this.requests.inc({ outcome }, 0);
    for (const sink of counts.sinkNames) {
      for (const outcome of ['delivered', 'failed', 'dead'] as const) this.delivery(sink, outcome, 0);
    }
    this.registerBacklog();
    registerFigures(conditions, counts);
  }

  event(type: string, outcome: Insertion | 'reconciled'): void {
    this.events.inc({ type: isDocumented(type) ? type : 'other', outcome });
  }

  delivery(sink: string, outcome: 'delivered' | 'failed' | 'dead', times = 1): void {
    this.deliveries.inc({ outcome, ...this.labelsOf(sink) }, times);
  }

  /** Reports from now on in which form this replica reads events, and how long ago the last reading was complete. */
  reportReconciliation(current: () => Tier, ageSeconds: () => Promise<number | undefined>): void {
    this.metrics.gauge(
      'bff_webhook_reconciliation_state',
      'The form in which the upstream accepts the events query: full (with content and hirer) or plain.',
      ['tier'],
      (gauge) => {
        for (const tier of TIERS) gauge.set({ tier }, tier === current() ? 1 : 0);
      },
    );
    this.metrics.gauge(
      'bff_webhook_reconciled_age_seconds',
      'Time since the last reconciliation that reached the end of the stream; absent before the first.',
      [],
      async (gauge) => {
        const seconds = await ifAnswered(ageSeconds());
        if (seconds !== undefined) gauge.set(seconds);
      },
    );
  }

  /** While the store is down the gauges keep their last values, so that the other metrics can still be read. */
  private registerBacklog(): void {
    const { counts, metrics } = this;
    metrics.gauge(
      'bff_webhook_backlog',
      'Events that are not delivered.',
      ['state', ...this.sinkLabel],
      async (gauge) => {
        for (const backlog of (await ifAnswered(counts.backlog())) ?? []) {
          const labels = this.labelsOf(backlog.sink);
          for (const state of BACKLOG_STATES) gauge.set({ state, ...labels }, backlog[state]);
        }
      },
    );
    metrics.gauge(
      'bff_webhook_oldest_pending_seconds',
      'How long the oldest event has waited for its delivery.',
      this.sinkLabel,
      async (gauge) => {
        const backlogs = (await ifAnswered(counts.backlog())) ?? [];
        for (const { sink, oldestSeconds } of backlogs) gauge.set(this.labelsOf(sink), oldestSeconds);
      },
    );
  }

  private labelsOf(sink: string): { sink?: string } {
    return this.sinkLabel.length > 0 ? { sink } : {};
  }
}

/** A store that hangs delays a scrape by no more than this. */
const READ_MS_MAX = 1_000;

/** The store's answer, if it comes in time; undefined while the store is down. */
async function ifAnswered<T>(work: Promise<T>): Promise<T | undefined> {
  const answer = await within(READ_MS_MAX, work).catch(() => undefined);
  return answer === LATE ? undefined : answer;
}

function registerFigures(conditions: Conditions, counts: EventCounts): void {
  conditions.figure('events-dead', async () => {
    const sum = (await counts.backlog()).reduce((all, { dead }) => all + dead, 0);
    return sum === 0 ? undefined : `${sum} event${sum === 1 ? '' : 's'}`;
  });
  let areForObjects = false;
  const look = async (): Promise<string | undefined> => {
    const late = (await counts.backlog()).filter(({ oldestSeconds }) => oldestSeconds > LATE_SECONDS);
    areForObjects = late.every(({ isForObject }) => isForObject);
    const ages = late.map(({ sink, oldestSeconds }) => `${sink}: ${Math.round(oldestSeconds / 60)} minutes`);
    return ages.join('; ') || undefined;
  };
  conditions.figure('events-late', look, () =>
    areForObjects ? (conditions.culpritOf('partner-token-missing') ?? 'upstream') : undefined,
  );
}
