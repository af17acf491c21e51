import { addCounts, type DashboardSample } from '../dashboard-sample.js';
import type { Tally } from '../outcomes.js';
import type { Attention } from './attention.js';
import { count, NAMES, shareOf, type Minute } from './minute.js';

/** Bounds on what the last minute may hold; they are those of the alerts. */
const FAILED_SHARE = 0.05;
const FAILED_MIN = 3;
const ERRORS_SHARE = 0.5;
const ERRORS_MIN = 20;
const UNAUTHENTICATED_MIN = 30;
const FORBIDDEN_MIN = 60;
const RATE_LIMITED_MIN = 30;

/** What must not happen at all, in the last half hour. */
export function ownFaults(samples: readonly DashboardSample[]): Attention[] {
  const found: Attention[] = [];
  const all = samples.flatMap(({ requests }) => Object.values(requests));
  const bugs = addCounts(all)['internal_error'] ?? 0;
  if (bugs > 0) {
    found.push({
      severity: 'bad',
      what: `${count(bugs, 'request', 'requests')} failed by a bug in this service in the last half hour.`,
      fault: 'This service',
      action:
        'Find the log lines of level error. Roll back if it began with a release, and report the stack.',
      runbook: 'BffInternalErrors',
    });
  }
  const dropped = samples.reduce((sum, { auditDropped }) => sum + auditDropped, 0);
  if (dropped > 0) {
    found.push({
      severity: 'bad',
      what: `${count(dropped, 'audit record was', 'audit records were')} lost in the last half hour.`,
      fault: 'Your database',
      action: 'Fix the database. The log still holds a line for every request and can fill the gap.',
      runbook: 'BffAuditDropped',
    });
  }
  return found;
}

/** Requests that fail, and no dependency says why. */
export function unexplainedFailures(minute: Minute): Attention[] {
  const fault = minute.outcomes['upstream_error'] || minute.outcomes['upstream_timeout'];
  const found: Attention[] = [];
  const kinds = [
    ['token', 'BffIssuanceFailing'],
    ['graphql', 'BffGraphqlFailing'],
    ['attachment', 'upstream_error'],
  ] as const;
  for (const [kind, runbook] of kinds) {
    if (!isFailing(minute[kind])) continue;
    found.push({
      severity: 'bad',
      what: `${shareOf(minute[kind].failed, minute[kind].all, NAMES[kind])} failed in the last minute, through no fault of the caller.`,
      fault: fault ? 'Upstream' : 'Overload, or a dependency of this service',
      action: 'See the reason below; it links to the audit records, which hold the upstream request ids.',
      runbook,
    });
  }
  const { all, errors } = minute.graphql;
  if (errors >= ERRORS_MIN && errors > all * ERRORS_SHARE) {
    found.push({
      severity: 'warn',
      what: `The upstream answered ${shareOf(errors, all, NAMES.graphql)} with errors in the last minute.`,
      fault: 'Upstream, or the operations of a frontend',
      action: 'Look at the errors in one response: codes like BAD_USER_INPUT point to the frontend.',
      runbook: 'BffGraphqlFailing',
    });
  }
  return found;
}

/** What callers do that is worth a look. */
export function callersFaults({ token, graphql, attachment, outcomes }: Minute): Attention[] {
  const found: Attention[] = [];
  const all = token.all + graphql.all + attachment.all;
  const { unauthenticated = 0, hirer_forbidden = 0, scope_forbidden = 0, rate_limited = 0 } = outcomes;
  if (unauthenticated >= UNAUTHENTICATED_MIN && unauthenticated > all / 2) {
    found.push({
      severity: 'bad',
      what: `${shareOf(unauthenticated, all, 'requests')} had no valid end-user token in the last minute.`,
      fault: 'Callers, or your identity provider',
      action:
        'The audit trail (outcome unauthenticated) lists reasons and addresses: new keys, a frontend release, or an attack.',
      runbook: 'BffUnauthenticatedSpike',
    });
  }
  if (hirer_forbidden + scope_forbidden >= FORBIDDEN_MIN) {
    found.push({
      severity: 'warn',
      what: `Users asked ${hirer_forbidden + scope_forbidden} times in the last minute for hirers or scopes that are not theirs.`,
      fault: 'Callers, or lost memberships',
      action:
        'In the audit trail: one user and many hirers is an attack, many users and their own hirers a loss.',
      runbook: 'BffForbiddenSpike',
    });
  }
  if (rate_limited >= RATE_LIMITED_MIN) {
    found.push({
      severity: 'warn',
      what: `${count(rate_limited, 'request was', 'requests were')} above a rate limit in the last minute.`,
      fault: 'Callers, or a limit of the upstream',
      action: 'In the audit trail (outcome rate_limited): which users, which hirers?',
      runbook: 'BffRateLimited',
    });
  }
  return found;
}

function isFailing({ all, failed }: Tally): boolean {
  return failed >= FAILED_MIN && failed > all * FAILED_SHARE;
}
