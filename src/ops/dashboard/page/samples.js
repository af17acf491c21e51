/**
 * Counts by name.
 * @typedef {Record<string, number>} Counts
 */

/**
 * Quantiles of a duration in milliseconds; null when there was no request.
 * @typedef {{ p50: number | null, p95: number | null }} Quantiles
 */

/**
 * One interval, as the feed sends it: counts within it, and levels at its end.
 * @typedef {object} Sample
 * @property {number} time end of the interval, epoch milliseconds
 * @property {number} seconds
 * @property {Counts} outcomes requests to `/auth/token`
 * @property {Counts} sources of the issued ones
 * @property {Counts} events
 * @property {Counts} deliveries
 * @property {Quantiles} token
 * @property {Quantiles} graphql
 * @property {Counts} backlog events that are not delivered, by state
 * @property {number} oldestPendingSeconds
 * @property {number} partnerTokenSeconds
 */

/**
 * Names of the members of a sample that count something.
 * @typedef {'outcomes' | 'sources' | 'events' | 'deliveries'} Counted
 */

/** Outcomes of a fault, in this service or the upstream, rather than of a request that had to be refused. */
export const FAILURES = ['internal_error', 'upstream_error', 'unavailable', 'upstream_timeout'];

/**
 * Adds up the counts of several samples.
 * @param {readonly Sample[]} samples
 * @param {Counted} name
 */
export function merge(samples, name) {
  /** @type {Counts} */
  const sums = {};
  for (const sample of samples) {
    for (const [key, count] of Object.entries(sample[name])) sums[key] = (sums[key] ?? 0) + count;
  }
  return sums;
}

/**
 * The sum of the counts whose name matches.
 * @param {Counts} counts
 * @param {(name: string) => boolean} matches
 */
export function total(counts, matches = () => true) {
  return Object.entries(counts).reduce((sum, [name, count]) => sum + (matches(name) ? count : 0), 0);
}
