import type { Readiness } from '../../telemetry/health.js';
import { addCounts, REQUEST_KINDS, type DashboardSample, type RequestKind } from './dashboard-sample.js';
import { tallyOf, type Counts } from './outcomes.js';

/** How many samples make ten seconds, and a minute. */
const LATEST = 5;
const MINUTE = 30;
const FAILING_SHARE = 0.5;
const FAILING_MIN = 3;

/** The states of a replica, the worse the later; one that is draining has been taken out of service. */
export const OVERALL_STATES = ['ready', 'degraded', 'failing', 'not ready', 'draining'] as const;
/** The state of the page in one word: that of `/readyz`, or `failing`. */
export type OverallState = Readiness['status'] | 'failing';

/**
 * `failing` where this replica takes requests, and at least half of one kind fail through no fault of the caller: at
 * least three in the last ten seconds or, where there were fewer requests, in the last minute. An answer with the
 * upstream's own errors is a failure here.
 */
export function stateOf(status: Readiness['status'], samples: readonly DashboardSample[]): OverallState {
  if (status !== 'ready' && status !== 'degraded') return status;
  return REQUEST_KINDS.some((kind) => isFailing(kind, samples)) ? 'failing' : status;
}

function isFailing(kind: RequestKind, samples: readonly DashboardSample[]): boolean {
  const sumOfLast = (count: number): Counts =>
    addCounts(samples.slice(-count).map(({ requests }) => requests[kind]));
  const latest = sumOfLast(LATEST);
  const counts = tallyOf(latest).all < FAILING_MIN ? sumOfLast(MINUTE) : latest;
  const { all, failed: unanswered } = tallyOf(counts);
  const failed = unanswered + (counts['errors@upstream'] ?? 0);
  return failed >= FAILING_MIN && failed >= all * FAILING_SHARE;
}
