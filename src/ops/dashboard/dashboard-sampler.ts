import type { HttpDependency } from '../../http/outgoing/dependency-client.js';
import type { Sample } from '../../telemetry/counted-metrics.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { addCounts, type DashboardSample, type Histogram, type RequestKind } from './dashboard-sample.js';
import type { Counts } from './outcomes.js';

/** The counters that a sample holds, by label value. */
interface Counters {
  readonly token: Counts;
  readonly graphql: Counts;
  readonly attachment: Counts;
  readonly sources: Counts;
  readonly events: Counts;
  readonly deliveries: Counts;
  readonly webhooks: Counts;
  readonly auditDropped: Counts;
  readonly tokenLatency: Histogram;
  readonly graphqlLatency: Histogram;
  readonly upstreamLatency: Histogram;
  readonly ownTime: Histogram;
  /** By dependency and upper bound, separated by a space. */
  readonly calls: Counts;
}

/** Dependencies that are called over HTTP, besides upstream and issuer. */
const DEPENDENCIES: readonly HttpDependency[] = ['end-user-keys', 'membership-service', 'event-sink'];
const STORES = ['database', 'cache'] as const;

/** What is read for each sample. */
type Name =
  | 'bff_browser_tokens_total'
  | 'bff_http_request_duration_seconds'
  | 'bff_upstream_request_duration_seconds'
  | 'bff_own_duration_seconds'
  | 'bff_dependency_request_duration_seconds'
  | 'bff_store_duration_seconds'
  | 'bff_request_culprits_total'
  | 'bff_graphql_items_total'
  | 'bff_attachment_downloads_total'
  | 'bff_webhook_events_total'
  | 'bff_webhook_deliveries_total'
  | 'bff_webhook_requests_total'
  | 'bff_audit_dropped_total'
  | 'bff_circuit_open'
  | 'bff_webhook_backlog'
  | 'bff_webhook_oldest_pending_seconds'
  | 'bff_webhook_backlog_end_seconds'
  | 'bff_partner_token_remaining_seconds'
  | 'bff_partner_token_lifetime_seconds';
type Read = { samples(name: Name): Promise<readonly Sample[]> };

/** Reads the metrics interval by interval. */
export class DashboardSampler {
  private time: number;
  private counters: Partial<Counters> = {};

  constructor(
    private readonly metrics: Pick<Metrics, 'samples'>,
    private readonly now: () => number,
  ) {
    this.time = now();
  }

  /** @param failing dependencies that are not up */
  async take(failing: readonly string[]): Promise<DashboardSample> {
    const time = this.now();
    const seconds = Math.max(0.001, (time - this.time) / 1000);
    const { metrics } = this;
    const counters = await readCounters(metrics);
    const { token, graphql, attachment, ...rises } = rise(counters, this.counters);
    [this.time, this.counters] = [time, counters];
    const { tokenLatency, graphqlLatency, upstreamLatency, auditDropped, calls, ...counts } = rises;
    return {
      time,
      seconds,
      requests: { token, graphql, attachment },
      latency: { token: tokenLatency, graphql: graphqlLatency, upstream: upstreamLatency },
      auditDropped: auditDropped['all'] ?? 0,
      calls: byDependency(calls),
      ...counts,
      ...(await readLevels(metrics)),
      failing,
    };
  }
}

async function readCounters(metrics: Read): Promise<Counters> {
  const tokens = await metrics.samples('bff_browser_tokens_total');
  const durations = await metrics.samples('bff_http_request_duration_seconds');
  const issued = tokens.filter(({ labels }) => labels['outcome'] === 'issued');
  const upstream = await metrics.samples('bff_upstream_request_duration_seconds');
  const own = await metrics.samples('bff_own_duration_seconds');
  const dependencies = await metrics.samples('bff_dependency_request_duration_seconds');
  const stores = await metrics.samples('bff_store_duration_seconds');
  const culprits = await metrics.samples('bff_request_culprits_total');
  return {
    token: blame('token', sumBy(tokens, 'outcome'), culprits),
    graphql: blame('graphql', await count(metrics, 'bff_graphql_items_total', 'outcome'), culprits),
    attachment: blame(
      'attachment',
      await count(metrics, 'bff_attachment_downloads_total', 'outcome'),
      culprits,
    ),
    sources: sumBy(issued, 'source'),
    events: await count(metrics, 'bff_webhook_events_total', 'outcome'),
    deliveries: await count(metrics, 'bff_webhook_deliveries_total', 'outcome'),
    webhooks: await count(metrics, 'bff_webhook_requests_total', 'outcome'),
    auditDropped: { all: await level(metrics, 'bff_audit_dropped_total') },
    tokenLatency: histogramOf(durations, 'route', '/auth/token'),
    graphqlLatency: histogramOf(durations, 'route', '/graphql'),
    upstreamLatency: histogramOf(upstream, 'target', 'graphql'),
    calls: Object.assign(
      callsOf('upstream', histogramOf(upstream, 'target', 'graphql')),
      callsOf('issuer', histogramOf(upstream, 'target', 'issuer')),
      ...DEPENDENCIES.map((name) => callsOf(name, histogramOf(dependencies, 'dependency', name))),
      ...STORES.map((name) => callsOf(name, histogramOf(stores, 'store', name))),
    ) as Counts,
    ownTime: addCounts([histogramOf(own, 'route', '/auth/token'), histogramOf(own, 'route', '/graphql')]),
  };
}

async function readLevels(metrics: Read) {
  const circuits = await metrics.samples('bff_circuit_open');
  return {
    backlog: await count(metrics, 'bff_webhook_backlog', 'state'),
    oldestPendingSeconds: await highest(metrics, 'bff_webhook_oldest_pending_seconds'),
    backlogEndSeconds: await backlogEnd(metrics),
    partnerTokenSeconds: await level(metrics, 'bff_partner_token_remaining_seconds'),
    partnerTokenLifeSeconds: await level(metrics, 'bff_partner_token_lifetime_seconds'),
    openCircuits: circuits.filter(({ value }) => value > 0).map(({ labels }) => String(labels['target'])),
  };
}

async function count(metrics: Read, name: Name, label: string): Promise<Counts> {
  return sumBy(await metrics.samples(name), label);
}

/** Of the sink that takes longest. */
async function backlogEnd(metrics: Read): Promise<number | null> {
  const seconds = await highest(metrics, 'bff_webhook_backlog_end_seconds');
  return Number.isNaN(seconds) ? null : seconds;
}

async function highest(metrics: Read, name: Name): Promise<number> {
  return Math.max(0, ...(await metrics.samples(name)).map(({ value }) => value));
}

async function level(metrics: Read, name: Name): Promise<number> {
  return (await metrics.samples(name))[0]?.value ?? 0;
}

function sumBy(samples: readonly Sample[], label: string): Counts {
  const sums: Record<string, number> = {};
  for (const { labels, value } of samples) {
    const key = String(labels[label]);
    sums[key] = (sums[key] ?? 0) + value;
  }
  return sums;
}

/** Tells apart, within each outcome of a kind of request, those of which a culprit is known. */
function blame(kind: RequestKind, counts: Counts, culprits: readonly Sample[]): Counts {
  const blamed: Record<string, number> = { ...counts };
  for (const { labels, value } of culprits) {
    const outcome = String(labels['outcome']);
    if (labels['action'] !== kind || !blamed[outcome]) continue;
    blamed[`${outcome}@${labels['culprit']}`] = value;
    blamed[outcome] = Math.max(0, blamed[outcome] - value);
  }
  return blamed;
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

function callsOf(dependency: string, histogram: Histogram): Record<string, number> {
  return Object.fromEntries(
    Object.entries(histogram).map(([bound, count]) => [`${dependency} ${bound}`, count]),
  );
}

function byDependency(calls: Counts): Record<string, Histogram> {
  const histograms: Record<string, Record<string, number>> = {};
  for (const [key, count] of Object.entries(calls)) {
    const [dependency, bound] = key.split(' ') as [string, string];
    (histograms[dependency] ??= {})[bound] = count;
  }
  return histograms;
}
