import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/load-config.js';
import { Default } from '../config/default.js';
import { Conditions } from '../telemetry/conditions/conditions.js';
import { Health } from '../telemetry/health.js';
import { EventReconciliation } from './reconcile/event-reconciliation.js';
import { EventCounts } from './store/records/event-counts.js';

const LATE_SECONDS_MIN = 15 * 60;
const LATE_INTERVALS = 3;

/**
 * Judges whether events are reconciled, by the cursor in the database, which the replica that reads moves for all; in
 * `/readyz`, also whether they are with their content.
 */
@Injectable()
export class ReconciliationHealth {
  private readonly startedAt: number;

  constructor(
    reconciliation: EventReconciliation,
    private readonly counts: EventCounts,
    @Inject(CONFIG) private readonly config: Pick<Config, 'EVENTS_SCHEME_ID' | 'EVENTS_POLL_SECONDS'>,
    conditions: Conditions,
    health: Health,
    @Default() private readonly now: () => number = () => performance.now(),
  ) {
    this.startedAt = now();
    if (!reconciliation.isOn) return;
    conditions.figure(
      'reconciliation-late',
      () => this.lateness(),
      () => conditions.culpritOf('partner-token-missing'),
    );
    health.register('reconciliation', () => {
      const check = conditions.checkOf('reconciliation-late');
      return check.state === 'up' ? reconciliation.check() : check;
    });
  }

  private async lateness(): Promise<string | undefined> {
    const { EVENTS_SCHEME_ID, EVENTS_POLL_SECONDS } = this.config;
    const upSeconds = (this.now() - this.startedAt) / 1000;
    const ageSeconds = (await this.counts.reconciledAgeSeconds(EVENTS_SCHEME_ID)) ?? upSeconds;
    const isLate = ageSeconds > Math.max(LATE_SECONDS_MIN, LATE_INTERVALS * EVENTS_POLL_SECONDS);
    return isLate ? `not completed for ${Math.round(ageSeconds / 60)} minutes` : undefined;
  }
}
