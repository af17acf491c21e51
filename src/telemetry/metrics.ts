import { Counter, Gauge, Registry, collectDefaultMetrics } from 'prom-client';
import { VERSION } from '../config/version.js';
import {
  CounterMetric,
  HistogramMetric,
  type Count,
  type Durations,
  type Sample,
} from './counted-metrics.js';

/** Upper bounds of the buckets of a duration, in seconds, unless it names its own. */
export const DURATION_BUCKETS_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 2.5, 5, 10,
];

/** A metric as `docs/metrics.md` describes it. */
interface MetricDescription {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
}

/** The counts of a cache: plain numbers that are read at each scrape, so that a lookup costs nothing more. */
export interface CountedCache {
  /** Entries. */
  readonly size: number;
  readonly hits: number;
  readonly misses: number;
}

/**
 * The process's metrics, in the Prometheus text form. Modules register their own; labels are words from fixed sets,
 * never an identifier, so that the number of series stays bounded.
 */
export class Metrics {
  /** The metrics of modules, in the order in which they were registered. */
  readonly descriptions: MetricDescription[] = [];
  private readonly registry = new Registry();
  private readonly caches = new Map<string, CountedCache>();
  private readonly circuits = new Map<string, () => boolean>();

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    this.gauge(
      'bff_build_info',
      '1. The labels say what runs: count by (version) (bff_build_info).',
      ['version', 'node'],
      (gauge) => gauge.set({ version: VERSION, node: process.version }, 1),
    );
    this.registerCaches();
    this.gauge(
      'bff_circuit_open',
      '1 while calls to a target are held back because they failed.',
      ['target'],
      (gauge) => {
        for (const [target, isOpen] of this.circuits) gauge.set({ target }, isOpen() ? 1 : 0);
      },
    );
  }

  /** A count that only rises. */
  counter<L extends string>(name: string, help: string, labelNames: readonly L[]): Count<L> {
    this.descriptions.push({ name, help, labelNames });
    return this.register(new CounterMetric(name, help, labelNames));
  }

  /** A distribution of durations, in seconds. */
  duration<L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[],
    buckets: readonly number[] = DURATION_BUCKETS_SECONDS,
  ): Durations<L> {
    this.descriptions.push({ name, help, labelNames });
    return this.register(new HistogramMetric(name, help, labelNames, buckets));
  }

  /** A value read at each scrape; `read` may await. */
  gauge<L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[],
    read: (gauge: Gauge<L>) => void | Promise<void>,
  ): void {
    this.descriptions.push({ name, help, labelNames });
    new Gauge({
      name,
      help,
      labelNames,
      registers: [this.registry],
      collect() {
        return read(this);
      },
    });
  }

  /** Reports a cache under `bff_cache_entries` and `bff_cache_lookups_total`. */
  cache(name: string, cache: CountedCache): void {
    this.caches.set(name, cache);
  }

  /** Reports a circuit breaker, or a pause after failures, under `bff_circuit_open`. */
  circuit(target: string, isOpen: () => boolean): void {
    this.circuits.set(target, isOpen);
  }

  /** The exposition, with its content type. */
  async expose(): Promise<{ contentType: string; text: string }> {
    return { contentType: this.registry.contentType, text: await this.registry.metrics() };
  }

  /** The current samples of one metric. */
  async samples(name: string): Promise<readonly Sample[]> {
    const metric = await this.registry.getSingleMetric(name)?.get();
    return (metric?.values ?? []) as readonly Sample[];
  }

  /** The types of prom-client want one of its own classes, but it reads no more than name, type and `get()`. */
  private register<M extends CounterMetric<string> | HistogramMetric<string>>(metric: M): M {
    this.registry.registerMetric(metric as unknown as Counter);
    return metric;
  }

  private registerCaches(): void {
    const { caches } = this;
    this.gauge('bff_cache_entries', 'Entries of a cache in memory.', ['cache'], (gauge) => {
      for (const [cache, { size }] of caches) gauge.set({ cache }, size);
    });
    const lookups = {
      name: 'bff_cache_lookups_total',
      help: 'Lookups in a cache in memory: hit or miss.',
      labelNames: ['cache', 'result'] as const,
    };
    this.descriptions.push(lookups);
    new Counter({
      ...lookups,
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [cache, { hits, misses }] of caches) {
          this.inc({ cache, result: 'hit' }, hits);
          this.inc({ cache, result: 'miss' }, misses);
        }
      },
    });
  }
}
