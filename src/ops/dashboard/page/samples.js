/**
 * Counts by name.
 * @typedef {Record<string, number>} Counts
 */

/**
 * The kinds of requests on the public listener.
 * @typedef {'token' | 'graphql' | 'webhook'} Kind
 */

/**
 * One interval, as the service sends it: counts within it, and levels at its end.
 * @typedef {object} Sample
 * @property {number} time end of the interval, epoch milliseconds
 * @property {number} seconds
 * @property {Record<Kind, Counts>} requests by outcome
 * @property {Counts} sources of the issued tokens
 * @property {Record<'token' | 'graphql' | 'upstream', Counts>} latency requests by upper bound of their bucket, in seconds
 * @property {Counts} deliveries
 * @property {Counts} backlog events that are not delivered, by state
 * @property {number} oldestPendingSeconds
 * @property {number} partnerTokenSeconds
 */

const GOOD = ['issued', 'ok', 'accepted', 'cancelled'];
const FAILURES = ['internal_error', 'unavailable', 'upstream_error', 'upstream_timeout'];

/**
 * True if requests with this outcome failed through no fault of the caller.
 * @param {string} outcome
 */
export function isFailure(outcome) {
  return FAILURES.includes(outcome);
}

/**
 * True if nothing was wrong with requests of this outcome.
 * @param {string} outcome
 */
export function isGood(outcome) {
  return GOOD.includes(outcome);
}

/**
 * True if requests with this outcome were refused through the caller's own fault. An answer with errors is none.
 * @param {string} outcome
 */
export function isRefusal(outcome) {
  return !isGood(outcome) && !isFailure(outcome) && outcome !== 'errors';
}

/**
 * Adds up counts.
 * @param {readonly Counts[]} all
 */
export function merge(all) {
  /** @type {Counts} */
  const sums = {};
  for (const counts of all) {
    for (const [key, count] of Object.entries(counts)) sums[key] = (sums[key] ?? 0) + count;
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
