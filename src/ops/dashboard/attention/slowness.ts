import type { Histogram } from '../dashboard-sample.js';
import type { Attention } from './attention.js';
import { isDegraded, type Checks } from './failing-dependencies.js';
import { shareOf, type Minute } from './minute.js';

/** Bounds of buckets; the first is that of the alert BffUpstreamSlow. */
const UPSTREAM_SECONDS = 2;
const OWN_SECONDS = 0.25;
const SLOW_SHARE = 0.05;
const SLOW_MIN = 5;

/**
 * Targets that answer, but late. An upstream that fails has a line already, and so has a database that does not answer.
 */
export function slowness(checks: Checks, { latency, ownTime, circuits }: Minute): Attention[] {
  const found: Attention[] = [];
  const upstream = slowerThan(UPSTREAM_SECONDS, latency.upstream);
  if (upstream && !isDegraded(checks, 'upstream') && !circuits.includes('graphql')) {
    found.push({
      severity: 'warn',
      what: `The upstream is slow: ${shareOf(upstream.slow, upstream.all, 'GraphQL calls')} took longer than ${UPSTREAM_SECONDS} seconds in the last minute.`,
      fault: 'Upstream, or the network to it',
      action:
        'Time a call from this host (query version). If it is slow too, contact the operator of the upstream; if not, look for expensive operations: the log has the time of each request.',
      runbook: 'BffUpstreamSlow',
      list: { name: 'audit', filter: { action: 'graphql' } },
    });
  }
  const own = slowerThan(OWN_SECONDS, ownTime);
  if (own && !isDegraded(checks, 'database') && !isDegraded(checks, 'membership-service')) {
    found.push({
      severity: 'warn',
      what: `This service itself took longer than ${OWN_SECONDS} seconds for ${shareOf(own.slow, own.all, 'requests')} in the last minute.`,
      fault: 'A slow database, Redis or membership service, or too little CPU',
      action: 'Compare their latencies with usual ones, and see whether the event loop is held up.',
      runbook: 'BffSlow',
    });
  }
  return found;
}

/** How many took longer; undefined where they are too few to matter, at most one in twenty. */
function slowerThan(seconds: number, histogram: Histogram): { slow: number; all: number } | undefined {
  let [slow, all] = [0, 0];
  for (const [bound, count] of Object.entries(histogram)) {
    all += count;
    if (Number(bound) > seconds) slow += count;
  }
  return slow >= SLOW_MIN && slow > all * SLOW_SHARE ? { slow, all } : undefined;
}
