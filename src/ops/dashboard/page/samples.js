/**
 * Counts by name.
 * @typedef {Record<string, number>} Counts
 */

/**
 * The kinds of requests of end users.
 * @typedef {'token' | 'graphql' | 'attachment'} Kind
 */

/**
 * One interval, as the feed sends it: counts within it, and levels at its end.
 * @typedef {object} Sample
 * @property {number} time end of the interval, epoch milliseconds
 * @property {number} seconds
 * @property {Record<Kind, Counts>} requests by outcome, with the culprit where one is known: `rate_limited@upstream`
 * @property {Counts} sources of the issued tokens
 * @property {Record<'token' | 'graphql' | 'upstream', Counts>} latency requests by upper bound of their bucket, in seconds
 * @property {Record<string, Counts>} calls to each dependency, by upper bound of their bucket, in seconds
 * @property {Counts} webhooks by outcome
 * @property {Counts} events
 * @property {Counts} deliveries
 * @property {Counts} backlog events that are not delivered, by state
 * @property {number} oldestPendingSeconds
 * @property {number | null} backlogEndSeconds until no event waits, as fast as the backlog shrinks; null while it does not
 * @property {number} partnerTokenSeconds
 * @property {number} partnerTokenLifeSeconds
 */

/**
 * The party that can change an outcome, and its meaning; `answered` by the upstream with errors, it is no failure.
 * @typedef {{ fault: keyof typeof FAULTS, meaning: string, answered?: true }} Outcome
 */

/** The party at fault for an outcome, in words. */
export const FAULTS = /** @type {const} */ ({
  none: '–',
  caller: 'Caller',
  upstream: 'Upstream',
  issuer: 'Issuer',
  database: 'Database',
  'membership-service': 'Membership service',
  'end-user-keys': 'Identity provider',
  cache: 'Redis',
  load: 'Load',
  service: 'This service',
  unclear: 'Unknown',
});

/** The name of each kind of request. */
export const KINDS = /** @type {const} */ ({
  token: 'token requests',
  graphql: 'GraphQL operations',
  attachment: 'downloads',
});

/** @type {Record<string, Outcome>} */
let outcomes = {};

/**
 * Takes the table of outcomes that the feed begins with.
 * @param {Record<string, Outcome>} table
 */
export function learnOutcomes(table) {
  outcomes = table;
}

/** Names of all outcomes, as the audit trail has them. */
export function outcomeNames() {
  return Object.keys(outcomes).filter((name) => name === codeOf(name) && name !== 'accepted');
}

/**
 * An outcome without its culprit.
 * @param {string} name
 */
export function codeOf(name) {
  return name.split('@')[0] ?? name;
}

/**
 * An outcome that is not in the table counts as a fault of the service.
 * @param {string} name
 * @returns {Outcome}
 */
export function outcomeOf(name) {
  return outcomes[name] ?? { fault: 'service', meaning: '' };
}

/**
 * True if requests with this outcome failed through no fault of the caller.
 * @param {string} name
 */
export function isFailure(name) {
  const { fault, answered } = outcomeOf(name);
  return !answered && fault !== 'none' && fault !== 'caller';
}

/**
 * True if requests with this outcome were refused through the caller's own fault.
 * @param {string} name
 */
export function isRefusal(name) {
  const { fault, answered } = outcomeOf(name);
  return !answered && fault === 'caller';
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
