import { Injectable } from '@nestjs/common';
import type { Durations } from '../telemetry/counted-metrics.js';
import { Metrics } from '../telemetry/metrics.js';

/** Measures what database and Redis are asked, whether or not they answer. */
@Injectable()
export class StoreDurations {
  private readonly durations: Durations<'store'>;

  constructor(metrics: Metrics) {
    this.durations = metrics.duration(
      'bff_store_duration_seconds',
      'Time of a statement or a whole transaction of the database, and of a command of Redis, by store (database, cache).',
      ['store'],
    );
  }

  /** Counts one that has ended now. @param startedAt of `performance.now()` */
  end(store: 'database' | 'cache', startedAt: number): void {
    this.durations.observe({ store }, (performance.now() - startedAt) / 1000);
  }
}
