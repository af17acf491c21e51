import { AggregatorRegistry, type MetricObject } from 'prom-client';

/** A metric as plain data, of one process. */
export interface MetricData extends Pick<MetricObject, 'name' | 'help' | 'aggregator'> {
  /** In the library's own words: only a `counter` and a `histogram` are counts that rise. */
  readonly type: unknown;
  readonly values: readonly unknown[];
}

/** How the values of a gauge in several processes become one. */
export type Across = 'sum' | 'min' | 'max';

/**
 * The metrics of several processes as those of one: counts are added up, gauges as each says. Percentiles cannot be
 * combined: the highest is kept, so that one slow process shows.
 */
export function sumMetrics(processes: readonly (readonly MetricData[])[]): MetricData[] {
  return registryOf(processes)
    .getMetricsAsArray()
    .map((metric) => metric as unknown as MetricData)
    .map(({ name, help, type, aggregator, values }) => ({ name, help, type, aggregator, values }));
}

/** The same in the Prometheus text form, with its content type. */
export async function exposeSum(
  processes: readonly (readonly MetricData[])[],
): Promise<{ contentType: string; text: string }> {
  const registry = registryOf(processes);
  return { contentType: registry.contentType, text: await registry.metrics() };
}

/** Of a process that has ended: the counts, which must not fall. */
export function countsOf(metrics: readonly MetricData[]): MetricData[] {
  return metrics.filter(({ type }) => type === 'counter' || type === 'histogram');
}

function registryOf(processes: readonly (readonly MetricData[])[]) {
  return AggregatorRegistry.aggregate(processes.map((metrics) => metrics.map(asCombined)));
}

function asCombined(metric: MetricData): MetricData {
  return metric.aggregator === 'average' ? { ...metric, aggregator: 'max' } : metric;
}
