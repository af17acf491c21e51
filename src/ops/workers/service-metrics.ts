import { Injectable } from '@nestjs/common';
import type { Sample } from '../../telemetry/counted-metrics.js';
import { Metrics } from '../../telemetry/metrics.js';
import { exposeSum, sumMetrics } from '../../telemetry/sum-metrics.js';
import { METRICS } from '../../workers/questions.js';
import { Workers } from '../../workers/workers.js';

/** Metrics of one moment. */
export interface MetricsReading<Name extends string> {
  samples(name: Name): Promise<readonly Sample[]>;
}

/** The metrics of the service: of all its workers, as if they were one process. */
@Injectable()
export class ServiceMetrics {
  constructor(
    private readonly metrics: Metrics,
    private readonly workers: Workers,
  ) {
    workers.answer(METRICS, (names) => metrics.read(names));
  }

  /** The exposition, with its content type. Counts of workers that have ended are in it, as last read. */
  async expose(): Promise<{ contentType: string; text: string }> {
    if (this.workers.count === 1) return this.metrics.expose();
    return exposeSum((await this.workers.ask(METRICS, undefined)).answers);
  }

  /** Metrics of these names, read now. */
  async read<Name extends string>(names: readonly Name[]): Promise<MetricsReading<Name>> {
    if (this.workers.count === 1) return this.metrics;
    const { answers } = await this.workers.ask(METRICS, names);
    const known: ReadonlySet<string> = new Set(names);
    const wanted = answers.map((metrics) => metrics.filter(({ name }) => known.has(name)));
    const values = new Map(sumMetrics(wanted).map((metric) => [metric.name, metric.values]));
    return { samples: async (name) => (values.get(name) ?? []) as readonly Sample[] };
  }
}
