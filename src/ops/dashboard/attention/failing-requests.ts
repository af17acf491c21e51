import { addCounts, type DashboardSample } from '../dashboard-sample.js';
import { isFailure, tallyOf, type Counts } from '../outcomes.js';
import { auditOf, type Attention } from './attention.js';
import { count, NAMES, shareOf, type Minute } from './minute.js';

/** Bounds on what the last minute may hold; they are those of the alerts. */
const FAILED_SHARE = 0.05;
const FAILED_MIN = 3;
const ERRORS_SHARE = 0.1;
const ERRORS_MIN = 10;
const UNAUTHENTICATED_MIN = 30;
const FORBIDDEN_MIN = 60;
const RATE_LIMITED_MIN = 30;
/** Has a line of its own. */
const UPSTREAM_LIMIT = 'rate_limited@upstream';

/** Outcomes that must never occur, in the last half hour. */
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
      list: auditOf('internal_error'),
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
  const found: Attention[] = [];
  const kinds = [
    ['token', 'BffIssuanceFailing'],
    ['graphql', 'BffGraphqlFailing'],
    ['attachment', 'upstream_error'],
  ] as const;
  for (const [kind, runbook] of kinds) {
    const counts = Object.entries(minute.unexplained[kind]).filter(([outcome]) => outcome !== UPSTREAM_LIMIT);
    const { failed, failedBy } = tallyOf(Object.fromEntries(counts));
    const { all } = minute[kind];
    if (failed < FAILED_MIN || failed <= all * FAILED_SHARE) continue;
    const [culprit] = Object.entries(failedBy).sort(([, a], [, b]) => b - a)[0]!;
    const [fault, action] = CULPRITS[culprit] ?? ['Overload, or a dependency of this service', SEE_AUDIT];
    const what = `${shareOf(failed, all, NAMES[kind])} failed in the last minute, through no fault of the caller.`;
    const [outcome] = counts.filter(([name]) => isFailure(name)).sort(([, a], [, b]) => b - a)[0]!;
    const list = { name: 'audit', filter: { action: kind, outcome: outcome.split('@')[0]! } } as const;
    found.push({ severity: 'bad', what, fault, action, runbook, list });
  }
  return found;
}

const SEE_AUDIT = 'See the reason below; it links to the audit records, which hold the upstream request ids.';

/** The culprit and the action to take, by the names of {@link Fault}. */
const CULPRITS: Readonly<Record<string, readonly [fault: string, action: string]>> = {
  upstream: ['Upstream', SEE_AUDIT],
  issuer: ['Issuer, or the network to it', 'The log lines “no partner token” say what it answered.'],
  database: [
    'Your database: it answers, but too late or with errors',
    'Look for locks, long queries and a full disk at the database. The log line of each request has the fault.',
  ],
  'membership-service': [
    'Your membership service, or the network to it',
    'Call HIRER_ACCESS_URL from this host: some of its answers are late or wrong.',
  ],
  'end-user-keys': ['Your identity provider', 'Fetch END_USER_JWKS_URL from this host.'],
  cache: ['Your Redis', 'Restore Redis. The service reconnects by itself, without a restart.'],
  load: ['Too many requests for this replica', 'Find who sends most in the audit trail, or add replicas.'],
  service: ['This service', 'Find the log lines of level error.'],
};

/** Complaints of an upstream that works: that this service asks too much, or that operations have errors. */
export function upstreamRefusals({ token, graphql, attachment, outcomes }: Minute): Attention[] {
  const found: Attention[] = [];
  const all = token.all + graphql.all + attachment.all;
  const limited = outcomes[UPSTREAM_LIMIT] ?? 0;
  if (limited >= FAILED_MIN && limited > all * FAILED_SHARE) {
    found.push({
      severity: 'bad',
      what: `The upstream limits this service: it answered 429 to ${shareOf(limited, all, 'requests')} in the last minute.`,
      fault: "The upstream's rate limit",
      action:
        'In the audit trail (outcome rate_limited): which users and operations send most? Have them send less, or ask the upstream for a higher limit.',
      runbook: 'BffUpstreamRateLimited',
      list: auditOf('rate_limited'),
    });
  }
  const { all: operations, errors } = graphql;
  if (errors >= ERRORS_MIN && errors > operations * ERRORS_SHARE) {
    found.push(answeredWithErrors(errors, operations, outcomes));
  }
  return found;
}

function answeredWithErrors(errors: number, operations: number, outcomes: Counts): Attention {
  const { 'errors@upstream': own = 0, 'errors@caller': asked = 0 } = outcomes;
  const counts = [
    ...(own > 0 ? [`${own} failed there`] : []),
    ...(asked > 0 ? [`${asked} were refused for what they asked`] : []),
  ];
  const split = counts.length > 0 ? `: ${counts.join(', ')}` : '';
  const what = `The upstream answered ${shareOf(errors, operations, NAMES.graphql)} with errors in the last minute${split}.`;
  const runbook = 'BffGraphqlFailing';
  const list = auditOf('errors');
  if (own >= errors / 2) {
    const action = 'Contact its operator with the upstream request ids of the audit trail (outcome errors).';
    return { severity: 'bad', what, fault: 'Upstream', action, runbook, list };
  }
  const fault =
    asked >= errors / 2 ? 'The operations of a frontend' : 'Upstream, or the operations of a frontend';
  const action =
    'Look at the errors in one response: BAD_USER_INPUT points to a release of the frontend, FORBIDDEN to a relationship that ended.';
  return { severity: 'warn', what, fault, action, runbook, list };
}

/** Conduct of callers that is worth a look. */
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
      list: auditOf('unauthenticated'),
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
      list: auditOf(hirer_forbidden >= scope_forbidden ? 'hirer_forbidden' : 'scope_forbidden'),
    });
  }
  if (rate_limited >= RATE_LIMITED_MIN) {
    found.push({
      severity: 'warn',
      what: `${count(rate_limited, 'request was', 'requests were')} above a limit of this service in the last minute.`,
      fault: 'Callers',
      action: 'In the audit trail (outcome rate_limited): which users, which hirers?',
      runbook: 'BffRateLimited',
      list: auditOf('rate_limited'),
    });
  }
  return found;
}
