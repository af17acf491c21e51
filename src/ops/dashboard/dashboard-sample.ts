import type { Metrics, Sample } from '../../telemetry/metrics.js';
import type { Counts } from './outcomes.js';

/** The kinds of requests of end users. */
export const REQUEST_KINDS = ['token', 'graphql', 'attachment'] as const;
/** One of {@link REQUEST_KINDS}. */
export type RequestKind = (typeof REQUEST_KINDS)[number];

/**
 * How many requests fell into each bucket, by its upper bound in seconds (`Infinity` for the last); empty ones are left
 * out.
 */
export type Histogram = Readonly<Record<string, number>>;

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
}

/**
 * One interval, as the dashboard shows it: counts within it, and levels at its end. Everything counted can be added up
 * over any number of intervals, the latency too: it is a histogram, since quantiles cannot be added.
 */
export interface DashboardSample {
  /** End of the interval, epoch milliseconds. */
  readonly time: number;
  readonly seconds: number;
  /** Requests to `/auth/token`, GraphQL operations and downloads, by outcome: a name of `OUTCOMES`. */
  readonly requests: Readonly<Record<RequestKind, Counts>>;
  /** Of the issued tokens, by source. */
  readonly sources: Counts;
  /** Of the two routes, and of the upstream's answers to GraphQL, late and failed ones included. */
  readonly latency: Readonly<Record<'token' | 'graphql' | 'upstream', Histogram>>;
  /**
   * The time that this service itself takes for requests to the public routes, without the wait for upstream and
   * issuer.
   */
  readonly ownTime: Histogram;
  /** Requests to `/webhooks`, by outcome. */
  readonly webhooks: Counts;
  readonly events: Counts;
  readonly deliveries: Counts;
  readonly auditDropped: number;
  /** Events that are not delivered, by state. While the database is down, as they were before. */
  readonly backlog: Counts;
  readonly oldestPendingSeconds: number;
  /** Until no event waits, as fast as the backlog shrinks; null while it does not. */
  readonly backlogEndSeconds: number | null;
  readonly partnerTokenSeconds: number;
  /** Whole life of the partner token in hand. */
  readonly partnerTokenLifeSeconds: number;
  /** Targets whose calls are held back. */
  readonly openCircuits: readonly string[];
  /** Dependencies that were not up at the end of the interval, by their names in `/readyz`. */
  readonly failing: readonly string[];
}

/** Reads the metrics interval by interval. */
export class DashboardSampler {
  private time: number;
  private counters: Partial<Counters> = {};

  constructor(
    private readonly metrics: Metrics,
    private readonly now: () => number,
  ) {
    this.time = now();
  }

  /** @param failing dependencies that are not up */
  async take(failing: readonly string[]): Promise<DashboardSample> {
    const time = this.now();
    const seconds = Math.max(0.001, (time - this.time) / 1000);
    const counters = await this.readCounters();
    const { token, graphql, attachment, ...rises } = rise(counters, this.counters);
    [this.time, this.counters] = [time, counters];
    const { tokenLatency, graphqlLatency, upstreamLatency, auditDropped, ...counts } = rises;
    return {
      time,
      seconds,
      requests: { token, graphql, attachment },
      latency: { token: tokenLatency, graphql: graphqlLatency, upstream: upstreamLatency },
      auditDropped: auditDropped['all'] ?? 0,
      ...counts,
      ...(await this.readLevels()),
      failing,
    };
  }

  private async readCounters(): Promise<Counters> {
    const tokens = await this.metrics.samples('bff_browser_tokens_total');
    const durations = await this.metrics.samples('bff_http_request_duration_seconds');
    const issued = tokens.filter(({ labels }) => labels['outcome'] === 'issued');
    const upstream = await this.metrics.samples('bff_upstream_request_duration_seconds');
    const own = await this.metrics.samples('bff_own_duration_seconds');
    const culprits = await this.metrics.samples('bff_request_culprits_total');
    return {
      token: blame('token', sumBy(tokens, 'outcome'), culprits),
      graphql: blame('graphql', await this.count('bff_graphql_items_total', 'outcome'), culprits),
      attachment: blame(
        'attachment',
        await this.count('bff_attachment_downloads_total', 'outcome'),
        culprits,
      ),
      sources: sumBy(issued, 'source'),
      events: await this.count('bff_webhook_events_total', 'outcome'),
      deliveries: await this.count('bff_webhook_deliveries_total', 'outcome'),
      webhooks: await this.count('bff_webhook_requests_total', 'outcome'),
      auditDropped: { all: await this.level('bff_audit_dropped_total') },
      tokenLatency: histogramOf(durations, 'route', '/auth/token'),
      graphqlLatency: histogramOf(durations, 'route', '/graphql'),
      upstreamLatency: histogramOf(upstream, 'target', 'graphql'),
      ownTime: addCounts([histogramOf(own, 'route', '/auth/token'), histogramOf(own, 'route', '/graphql')]),
    };
  }

  private async readLevels() {
    const circuits = await this.metrics.samples('bff_circuit_open');
    return {
      backlog: await this.count('bff_webhook_backlog', 'state'),
      oldestPendingSeconds: await this.highest('bff_webhook_oldest_pending_seconds'),
      backlogEndSeconds: await this.backlogEnd(),
      partnerTokenSeconds: await this.level('bff_partner_token_remaining_seconds'),
      partnerTokenLifeSeconds: await this.level('bff_partner_token_lifetime_seconds'),
      openCircuits: circuits.filter(({ value }) => value > 0).map(({ labels }) => String(labels['target'])),
    };
  }

  private async count(name: string, label: string): Promise<Counts> {
    return sumBy(await this.metrics.samples(name), label);
  }

  /** Of the sink that takes longest. */
  private async backlogEnd(): Promise<number | null> {
    const seconds = await this.highest('bff_webhook_backlog_end_seconds');
    return Number.isNaN(seconds) ? null : seconds;
  }

  private async highest(name: string): Promise<number> {
    return Math.max(0, ...(await this.metrics.samples(name)).map(({ value }) => value));
  }

  private async level(name: string): Promise<number> {
    return (await this.metrics.samples(name))[0]?.value ?? 0;
  }
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

/** Adds up counts of several intervals. */
export function addCounts(all: readonly Counts[]): Counts {
  const sums: Record<string, number> = {};
  for (const counts of all) {
    for (const [key, count] of Object.entries(counts)) sums[key] = (sums[key] ?? 0) + count;
  }
  return sums;
}
