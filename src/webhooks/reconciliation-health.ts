import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/load-config.js';
import type { Condition } from '../telemetry/health.js';
import { EventReconciliation } from './reconcile/event-reconciliation.js';
import { EventCounts } from './store/records/event-counts.js';
import { WebhookMetrics } from './webhook-metrics.js';

const LATE_SECONDS_MIN = 15 * 60;
const LATE_INTERVALS = 3;

/**
 * Judges whether events are reconciled, and with their content: by this replica's own runs, and by the cursor in the
 * database, which the replica that reads moves for all. Never down: webhooks arrive and are delivered without it.
 */
@Injectable()
export class ReconciliationHealth {
  constructor(
    private readonly reconciliation: EventReconciliation,
    private readonly counts: EventCounts,
    private readonly metrics: WebhookMetrics,
    @Inject(CONFIG) private readonly config: Pick<Config, 'EVENTS_SCHEME_ID' | 'EVENTS_POLL_SECONDS'>,
  ) {}

  /** True if there is anything to reconcile with. */
  get isOn(): boolean {
    return this.reconciliation.isOn;
  }

  /** For the health check. */
  async condition(): Promise<Condition> {
    const { recentReconciliations } = this.metrics;
    const own = recentReconciliations.condition();
    if (own.state !== 'up') return own;
    const ageSeconds = await this.counts
      .reconciledAgeSeconds(this.config.EVENTS_SCHEME_ID)
      .catch(() => undefined);
    const lateSeconds = Math.max(LATE_SECONDS_MIN, LATE_INTERVALS * this.config.EVENTS_POLL_SECONDS);
    if (ageSeconds === undefined || ageSeconds <= lateSeconds) return this.reconciliation.condition();
    return { state: 'degraded', reason: `not completed for ${Math.round(ageSeconds / 60)} minutes` };
  }
}
