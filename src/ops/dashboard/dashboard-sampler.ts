import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { every, type Loop } from '../../concurrency/every.js';
import { LOG, type Log } from '../../telemetry/log.js';
import { Metrics, type Sample } from '../../telemetry/metrics.js';

const INTERVAL_MS = 10_000;
const SAMPLES_MAX = 180;

/** Counts by name. */
export type Counts = Readonly<Record<string, number>>;
/** How many requests fell into each bucket, by its upper bound in seconds (`Infinity` for the last). */
export type Histogram = Counts;

/** The counters that a sample holds, by label value. */
interface Counters {
  readonly token: Counts;
  readonly graphql: Counts;
  readonly webhook: Counts;
  readonly sources: Counts;
  readonly deliveries: Counts;
  readonly tokenLatency: Histogram;
  readonly graphqlLatency: Histogram;
  readonly upstreamLatency: Histogram;
}

/** One interval, as the dashboard shows it: counts within it, and levels at its end. */
export interface DashboardSample extends Pick<Counters, 'sources' | 'deliveries'> {
  /** End of the interval, epoch milliseconds. */
  readonly time: number;
  readonly seconds: number;
  /** By outcome; of `rate_limited`, those of the upstream's own limit are `upstream_rate_limited`. */
  readonly requests: Readonly<Record<'token' | 'graphql' | 'webhook', Counts>>;
  readonly latency: Readonly<Record<'token' | 'graphql' | 'upstream', Histogram>>;
  /** Events that are not delivered, by state. While the database is down, as they were before. */
  readonly backlog: Counts;
  readonly oldestPendingSeconds: number;
  readonly partnerTokenSeconds: number;
}

/** The counters of one moment. */
interface SampledCounters {
  readonly time: number;
  readonly counters: Partial<Counters>;
}

type Name =
  | 'bff_browser_tokens_total'
  | 'bff_http_request_duration_seconds'
  | 'bff_upstream_request_duration_seconds'
  | 'bff_graphql_items_total'
  | 'bff_webhook_requests_total'
  | 'bff_webhook_deliveries_total'
  | 'bff_webhook_backlog'
  | 'bff_webhook_oldest_pending_seconds'
  | 'bff_partner_token_remaining_seconds';
type Read = { samples(name: Name): Promise<readonly Sample[]> };

/** What this process did in the last half hour, in steps of ten seconds, whether or not a page is open. */
@Injectable()
export class FigureRing implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly startedAt = Date.now();
  /** The oldest first. */
  readonly samples: DashboardSample[] = [];
  private last: SampledCounters = { time: this.startedAt, counters: {} };
  private loop: Loop | undefined;

  constructor(
    private readonly metrics: Metrics,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    const onError = (err: unknown): void => this.log.error({ err }, 'the dashboard cannot be sampled');
    this.loop = every(INTERVAL_MS, () => this.take(), onError);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.loop?.stop();
  }

  /** Takes the sample of the interval that ends now. */
  async take(): Promise<void> {
    const [sample, last] = await takeSample(this.metrics, this.last);
    this.last = last;
    this.samples.push(sample);
    if (this.samples.length > SAMPLES_MAX) this.samples.shift();
  }
}

/**
 * What happened in an interval that ends now.
 * @param before when it began, and the counters then
 */
export async function takeSample(
  metrics: Read,
  before: SampledCounters,
): Promise<[sample: DashboardSample, after: SampledCounters]> {
  const time = Date.now();
  const counters = await readCounters(metrics);
  const { token, graphql, webhook, ...rises } = rise(counters, before.counters);
  const { tokenLatency, graphqlLatency, upstreamLatency, ...counts } = rises;
  const sample = {
    time,
    seconds: Math.max(0.001, (time - before.time) / 1000),
    requests: { token, graphql, webhook },
    latency: { token: tokenLatency, graphql: graphqlLatency, upstream: upstreamLatency },
    ...counts,
    ...(await readLevels(metrics)),
  };
  return [sample, { time, counters }];
}

async function readCounters(metrics: Read): Promise<Counters> {
  const tokens = await metrics.samples('bff_browser_tokens_total');
  const durations = await metrics.samples('bff_http_request_duration_seconds');
  const issued = tokens.filter(({ labels }) => labels['outcome'] === 'issued');
  const upstream = await metrics.samples('bff_upstream_request_duration_seconds');
  return {
    token: sumBy(tokens, 'outcome'),
    graphql: await count(metrics, 'bff_graphql_items_total', 'outcome'),
    webhook: await count(metrics, 'bff_webhook_requests_total', 'outcome'),
    sources: sumBy(issued, 'source'),
    deliveries: await count(metrics, 'bff_webhook_deliveries_total', 'outcome'),
    tokenLatency: histogramOf(durations, 'route', '/auth/token'),
    graphqlLatency: histogramOf(durations, 'route', '/graphql'),
    upstreamLatency: histogramOf(upstream, 'target', 'graphql'),
  };
}

async function readLevels(metrics: Read) {
  return {
    backlog: await count(metrics, 'bff_webhook_backlog', 'state'),
    oldestPendingSeconds: await highest(metrics, 'bff_webhook_oldest_pending_seconds'),
    partnerTokenSeconds: await highest(metrics, 'bff_partner_token_remaining_seconds'),
  };
}

async function count(metrics: Read, name: Name, label: string): Promise<Counts> {
  return sumBy(await metrics.samples(name), label);
}

async function highest(metrics: Read, name: Name): Promise<number> {
  return Math.max(0, ...(await metrics.samples(name)).map(({ value }) => value));
}

function sumBy(samples: readonly Sample[], label: string): Counts {
  const sums: Record<string, number> = {};
  for (const { labels, value } of samples) {
    const key = String(labels[label]);
    sums[key] = (sums[key] ?? 0) + value;
  }
  return sums;
}

/** The counts since then, without those that stayed the same. */
function rise(now: Counters, before: Partial<Counters>): Counters {
  const names = Object.keys(now) as (keyof Counters)[];
  return Object.fromEntries(
    names.map((name) => [name, difference(now[name], before[name] ?? {})]),
  ) as unknown as Counters;
}

function difference(now: Counts, before: Counts): Counts {
  const rises = Object.entries(now).map(([key, value]) => [key, value - (before[key] ?? 0)] as const);
  return Object.fromEntries(rises.filter(([, risen]) => risen > 0));
}

/** The buckets of the series with that label; those of the metric are cumulative. */
function histogramOf(samples: readonly Sample[], label: string, wanted: string): Histogram {
  const cumulative = new Map<number, number>();
  for (const { metricName, labels, value } of samples) {
    if (labels[label] !== wanted || !metricName?.endsWith('_bucket')) continue;
    const bound = labels['le'] === '+Inf' ? Infinity : Number(labels['le']);
    cumulative.set(bound, (cumulative.get(bound) ?? 0) + value);
  }
  let below = 0;
  const counts: [string, number][] = [];
  for (const [bound, count] of [...cumulative].sort(([a], [b]) => a - b)) {
    counts.push([String(bound), count - below]);
    below = count;
  }
  return Object.fromEntries(counts);
}
