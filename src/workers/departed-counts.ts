import { countsOf, sumMetrics, type MetricData } from '../telemetry/sum-metrics.js';

/**
 * In the primary: the counts of workers that have ended, or are silent, as they were last read. Without them the sum
 * would fall, which Prometheus takes for a restart of the service, and counts all that the other workers ever did a
 * second time.
 */
export class DepartedCounts {
  private readonly latest = new Map<number, readonly MetricData[]>();
  private departed: readonly MetricData[] = [];

  /** @param metrics all of a worker, as just read */
  note(worker: number, metrics: readonly MetricData[]): void {
    this.latest.set(worker, countsOf(metrics));
  }

  /** A worker has ended; the next of its number counts from 0. */
  depart(worker: number): void {
    const latest = this.latest.get(worker);
    if (latest === undefined) return;
    this.latest.delete(worker);
    this.departed = countsOf(sumMetrics([this.departed, latest]));
  }

  /** What to add to the metrics of the workers that answered. */
  besides(answered: ReadonlySet<number>): readonly (readonly MetricData[])[] {
    const silent = [...this.latest].filter(([worker]) => !answered.has(worker));
    return [this.departed, ...silent.map(([, metrics]) => metrics)];
  }
}
