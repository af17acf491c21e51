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
  /** Of the calls to each dependency, by its name in `/readyz`. */
  readonly calls: Readonly<Record<string, Histogram>>;
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

/** Adds up counts of several intervals. */
export function addCounts(all: readonly Counts[]): Counts {
  const sums: Record<string, number> = {};
  for (const counts of all) {
    for (const [key, count] of Object.entries(counts)) sums[key] = (sums[key] ?? 0) + count;
  }
  return sums;
}
