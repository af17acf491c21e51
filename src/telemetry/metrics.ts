import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { MetricValueWithName } from 'prom-client';
import { VERSION } from '../config/version.js';

/** Upper bounds of the buckets of a duration, in seconds. */
export const DURATION_BUCKETS_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 2.5, 5, 10,
];

/** One sample of a metric; histograms name theirs with `_bucket`, `_sum` and `_count`. */
export type Sample = MetricValueWithName<string>;

/**
 * The process's metrics, in the Prometheus text form. Modules register their own; labels are words from fixed sets,
 * never an identifier, so that the number of series stays bounded.
 */
export class Metrics {
  /** All of them; the service reads it at `GET /metrics`. */
  readonly registry = new Registry();

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    this.gauge(
      'bff_build_info',
      '1. The labels say what runs: count by (version) (bff_build_info).',
      ['version', 'node'],
      (gauge) => gauge.set({ version: VERSION, node: process.version }, 1),
    );
  }

  /** A count that only rises. */
  counter<L extends string>(name: string, help: string, labelNames: readonly L[]): Counter<L> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  /** A distribution of durations, in seconds. */
  duration<L extends string>(name: string, help: string, labelNames: readonly L[]): Histogram<L> {
    const buckets = DURATION_BUCKETS_SECONDS;
    return new Histogram({ name, help, labelNames, buckets, registers: [this.registry] });
  }

  /** A value read at each scrape; `read` may await. */
  gauge<L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[],
    read: (gauge: Gauge<L>) => void | Promise<void>,
  ): void {
    const gauge: Gauge<L> = new Gauge({ name, help, labelNames, registers: [], collect: () => read(gauge) });
    this.registry.registerMetric(gauge);
  }

  /** The current samples of one metric. */
  async samples(name: string): Promise<readonly Sample[]> {
    const metric = await this.registry.getSingleMetric(name)?.get();
    return metric?.values ?? [];
  }
}
