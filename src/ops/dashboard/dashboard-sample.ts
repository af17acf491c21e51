import type { Metrics, Sample } from '../../telemetry/metrics.js';

/** Counts since the start of the process, as in the metrics. */
interface Totals {
  readonly outcomes: Readonly<Record<string, number>>;
  readonly sources: Readonly<Record<string, number>>;
  readonly events: Readonly<Record<string, number>>;
  readonly deliveries: Readonly<Record<string, number>>;
  /** By route, cumulative by upper bound in seconds. */
  readonly latency: Readonly<Record<string, ReadonlyMap<number, number>>>;
}

/** Quantiles of a duration, in milliseconds; null when there was no request. */
export interface Quantiles {
  readonly p50: number | null;
  readonly p95: number | null;
}

/** What the dashboard shows of one interval: counts within it, and levels at its end. */
export interface DashboardSample {
  /** End of the interval, epoch milliseconds. */
  readonly time: number;
  readonly seconds: number;
  /** Requests to `/auth/token` by outcome. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Of the issued ones, by source. */
  readonly sources: Readonly<Record<string, number>>;
  readonly token: Quantiles;
  readonly graphql: Quantiles;
  readonly events: Readonly<Record<string, number>>;
  readonly deliveries: Readonly<Record<string, number>>;
  /** Events that are not delivered, by state. */
  readonly backlog: Readonly<Record<string, number>>;
  readonly oldestPendingSeconds: number;
  readonly partnerTokenSeconds: number;
}

/** Reads the metrics interval by interval. */
export class DashboardSampler {
  private last: { readonly time: number; readonly totals: Totals };

  constructor(
    private readonly metrics: Metrics,
    private readonly now: () => number,
  ) {
    this.last = {
      time: now(),
      totals: { outcomes: {}, sources: {}, events: {}, deliveries: {}, latency: {} },
    };
  }

  async take(): Promise<DashboardSample> {
    const time = this.now();
    const totals = await this.readTotals();
    const before = this.last;
    this.last = { time, totals };
    return {
      time,
      seconds: Math.max(0.001, (time - before.time) / 1000),
      outcomes: difference(totals.outcomes, before.totals.outcomes),
      sources: difference(totals.sources, before.totals.sources),
      token: quantiles(totals.latency['/auth/token'], before.totals.latency['/auth/token']),
      graphql: quantiles(totals.latency['/graphql'], before.totals.latency['/graphql']),
      events: difference(totals.events, before.totals.events),
      deliveries: difference(totals.deliveries, before.totals.deliveries),
      backlog: sumBy(await this.metrics.samples('bff_webhook_backlog'), 'state'),
      oldestPendingSeconds: await this.level('bff_webhook_oldest_pending_seconds'),
      partnerTokenSeconds: await this.level('bff_partner_token_remaining_seconds'),
    };
  }

  private async readTotals(): Promise<Totals> {
    const tokens = await this.metrics.samples('bff_browser_tokens_total');
    const durations = await this.metrics.samples('bff_http_request_duration_seconds');
    return {
      outcomes: sumBy(tokens, 'outcome'),
      sources: sumBy(
        tokens.filter(({ labels }) => labels['outcome'] === 'issued'),
        'source',
      ),
      events: sumBy(await this.metrics.samples('bff_webhook_events_total'), 'outcome'),
      deliveries: sumBy(await this.metrics.samples('bff_webhook_deliveries_total'), 'outcome'),
      latency: {
        '/auth/token': buckets(durations, '/auth/token'),
        '/graphql': buckets(durations, '/graphql'),
      },
    };
  }

  private async level(name: string): Promise<number> {
    return (await this.metrics.samples(name))[0]?.value ?? 0;
  }
}

function sumBy(samples: readonly Sample[], label: string): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { labels, value } of samples) {
    const key = String(labels[label]);
    sums[key] = (sums[key] ?? 0) + value;
  }
  return sums;
}

function difference(now: Readonly<Record<string, number>>, before: Readonly<Record<string, number>>) {
  const rises = Object.entries(now).map(([key, value]) => [key, value - (before[key] ?? 0)] as const);
  return Object.fromEntries(rises.filter(([, rise]) => rise > 0));
}

function buckets(samples: readonly Sample[], route: string): Map<number, number> {
  const sums = new Map<number, number>();
  for (const { metricName, labels, value } of samples) {
    if (labels['route'] !== route || !metricName?.endsWith('_bucket')) continue;
    const bound = labels['le'] === '+Inf' ? Infinity : Number(labels['le']);
    sums.set(bound, (sums.get(bound) ?? 0) + value);
  }
  return sums;
}

function quantiles(now?: ReadonlyMap<number, number>, before?: ReadonlyMap<number, number>): Quantiles {
  const rises = [...(now ?? [])].sort(([a], [b]) => a - b);
  const counts = rises.map(([bound, count]) => [bound, count - (before?.get(bound) ?? 0)] as const);
  return { p50: quantile(counts, 0.5), p95: quantile(counts, 0.95) };
}

/** Linear within its bucket, as Prometheus has it; beyond the last bound, that bound. */
function quantile(
  counts: readonly (readonly [bound: number, count: number])[],
  share: number,
): number | null {
  const total = counts.at(-1)?.[1] ?? 0;
  if (total === 0) return null;
  const rank = total * share;
  let [lowBound, lowCount] = [0, 0];
  for (const [bound, count] of counts) {
    if (count >= rank) {
      const high = bound === Infinity ? lowBound : bound;
      const part = count === lowCount ? 0 : (rank - lowCount) / (count - lowCount);
      return Math.round((lowBound + (high - lowBound) * part) * 1e5) / 100;
    }
    [lowBound, lowCount] = [bound, count];
  }
  return null;
}
