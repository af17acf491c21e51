import type { Condition, Readiness } from '../../../telemetry/health.js';
import { meaningOf, type Fault } from '../outcomes.js';
import { auditOf, type Attention, type ListLink } from './attention.js';
import { impact, type Minute } from './minute.js';

/** The dependencies, as `/readyz` has them. */
export type Checks = Readiness['checks'];

/** A line for each dependency that is not up; issuer and partner token share one. */
export function failingDependencies(checks: Checks, minute: Minute): Attention[] {
  const found: Attention[] = [];
  for (const [name, condition] of Object.entries(checks)) {
    if (condition.state === 'up' || EXPLAINED_ELSEWHERE.includes(name)) continue;
    if (name === 'reconciliation' && isExplained(checks, minute)) continue;
    const describe = DEPENDENCIES[name];
    found.push(describe ? describe(condition, minute) : unknownDependency(name, condition));
  }
  if (isDegraded(checks, 'issuer') || isDegraded(checks, 'partner-token')) found.push(issuer(checks, minute));
  if (!isDegraded(checks, 'upstream') && minute.circuits.includes('graphql')) {
    found.push(upstream({ state: 'degraded', reason: 'most calls failed' }, minute));
  }
  return found;
}

/** Dependencies that have a line together with others. */
const EXPLAINED_ELSEWHERE = ['issuer', 'partner-token', 'event-sink', 'shutdown'];

const DEPENDENCIES: Readonly<Record<string, (condition: Condition, minute: Minute) => Attention>> = {
  database: (_condition, minute) => ({
    severity: 'bad',
    what: `The database does not answer: this replica is not ready and serves no one.${impact(minute, 'database')}`,
    fault: 'Your database',
    action:
      'Check that it runs, that its disk is not full and that its connections are not used up. The service recovers by itself, without a restart.',
    runbook: 'BffNotReady',
    list: { name: 'refusals', filter: {} }, // the audit trail cannot be read
  }),
  'end-user-keys': ({ state, reason }, minute) => ({
    severity: state === 'down' ? 'bad' : 'warn',
    what:
      state === 'down'
        ? `End users cannot be verified, so all of them are refused: ${reason}.`
        : `The keys of end users are out of date: ${reason}.`,
    fault: 'Your identity provider',
    action: 'Fetch END_USER_JWKS_URL from this host; once it answers, POST /end-user-keys/reload.',
    runbook: 'BffJwksStale',
    ...failedBy(minute, 'end-user-keys'),
  }),
  'membership-service': ({ reason }, minute) => ({
    severity: impact(minute, 'membership-service') === '' ? 'warn' : 'bad',
    what: `The membership service fails: ${reason}. Only users whose memberships were read in the last 30 seconds are served.${impact(minute, 'membership-service')}`,
    fault: 'Your membership service, or the network to it',
    action:
      'Call HIRER_ACCESS_URL from this host and restore that service. It is asked again with the next request, without a restart.',
    runbook: 'BffDegraded',
    ...failedBy(minute, 'membership-service'),
  }),
  upstream,
  cache: () => ({
    severity: 'warn',
    what: 'Redis does not answer: requests are served, but each replica mints its own tokens and applies its own limits.',
    fault: 'Your Redis',
    action: 'Restore Redis. The service reconnects by itself, without a restart.',
    runbook: 'BffDegraded',
  }),
  workers: ({ state, reason }) => ({
    severity: state === 'down' ? 'bad' : 'warn',
    what: `Of the processes of this replica, ${reason}.`,
    fault: 'This service, or the memory and processor time that it has',
    action:
      'Look in the log for “a worker ended” and for the last lines of that worker. One that ended is started again by itself; restart the replica where one stays silent.',
    runbook: 'BffDegraded',
  }),
  reconciliation: ({ reason }) => ({
    severity: 'warn',
    what: `Events are not reconciled: ${reason}. Webhooks still arrive, but one that gets lost is not noticed.`,
    fault: 'Upstream, or EVENTS_SCHEME_ID',
    action:
      'Fix what the log names under “events were not reconciled”. What was missed is caught up by itself.',
    runbook: 'BffReconciliationLate',
  }),
};

function upstream({ reason }: Condition, minute: Minute): Attention {
  const isHeld = minute.circuits.includes('graphql');
  const held = isHeld ? ' Further GraphQL calls are held back, and one is tried every few seconds.' : '';
  return {
    severity: isHeld || impact(minute, 'upstream') !== '' ? 'bad' : 'warn',
    what: `The upstream fails: ${reason}.${held}${impact(minute, 'upstream')}`,
    fault: 'Upstream, or the network to it',
    action:
      'Call the upstream from this host. If that fails too, contact its operator with the upstream request ids of the audit trail; if only this replica fails, replace it. Calls resume by themselves.',
    runbook: isHeld ? 'BffCircuitOpen' : 'BffUpstreamFailing',
    ...failedBy(minute, 'upstream'),
  };
}

function issuer(checks: Checks, minute: Minute): Attention {
  const seconds = minute.latest?.partnerTokenSeconds ?? 0;
  const isOut = seconds === 0 || checks['partner-token']?.state === 'down';
  const effect = isOut
    ? 'There is no partner token, so no browser token can be minted and nothing be asked of the upstream.'
    : `The partner token in hand lasts another ${Math.floor(seconds / 60)} minutes.`;
  const severity = isOut ? 'bad' : 'warn';
  if (checks['issuer']?.reason?.includes('by its last answer')) {
    return {
      severity,
      what: `The issuer refuses our client credentials. ${effect}${impact(minute, 'issuer')}`,
      fault: 'Your PARTNER_CLIENT_ID or PARTNER_CLIENT_SECRET',
      action: 'Write the correct secret to the file of PARTNER_CLIENT_SECRET; it is loaded within seconds.',
      runbook: 'BffCredentialsRefused',
      ...failedBy(minute, 'issuer'),
    };
  }
  return {
    severity,
    what: `The issuer gives no new partner token: ${checks['issuer']?.reason ?? 'it was not asked yet'}. ${effect}${impact(minute, 'issuer')}`,
    fault: 'Issuer, or the network to it',
    action:
      'Ask the issuer for a token from this host. If that fails too, contact its operator. The service asks again by itself, at least every 30 seconds.',
    runbook: isOut ? 'BffPartnerTokenMissing' : 'BffIssuerFailing',
    ...failedBy(minute, 'issuer'),
  };
}

/** The records of requests that failed because of it, with the most frequent outcome. */
function failedBy({ outcomes }: Minute, culprit: Fault): { list?: ListLink } {
  const [most] = Object.entries(outcomes)
    .filter(([outcome, times]) => times > 0 && meaningOf(outcome).fault === culprit)
    .sort(([, a], [, b]) => b - a);
  return most ? { list: auditOf(most[0].split('@')[0]!) } : {};
}

function unknownDependency(name: string, { state, reason }: Condition): Attention {
  return {
    severity: state === 'down' ? 'bad' : 'warn',
    what: `${name} is ${state}: ${reason ?? 'no reason is given'}.`,
    fault: name,
    action: 'Restore it.',
    runbook: state === 'down' ? 'BffNotReady' : 'BffDegraded',
  };
}

/** True if events cannot be reconciled because of what has a line of its own. */
function isExplained(checks: Checks, { circuits }: Minute): boolean {
  const needed = ['database', 'upstream', 'issuer', 'partner-token'];
  return circuits.includes('graphql') || needed.some((name) => isDegraded(checks, name));
}

/** True if there is such a dependency, and it is not up. */
export function isDegraded(checks: Checks, name: string): boolean {
  const condition = checks[name];
  return condition !== undefined && condition.state !== 'up';
}
