/** Who can end a condition. */
export type Culprit =
  'service' | 'upstream' | 'issuer' | 'identity-provider' | 'database' | 'redis' | 'sink' | 'operator';

/** Something that can be wrong with the service, or around it. */
export interface Condition {
  /** `page` where users or events suffer until somebody acts, `ticket` where there is time. */
  readonly severity: 'page' | 'ticket';
  readonly culprit: Culprit;
  /** What is wrong, in one sentence. */
  readonly summary: string;
  /** What to do first, in one sentence. */
  readonly action: string;
}

const row =
  (severity: Condition['severity']) =>
  (culprit: Culprit, summary: string, action: string): Condition => ({ severity, culprit, summary, action });
const page = row('page');
const ticket = row('ticket');

/**
 * Everything that can be wrong, worst first, by its name. A name is a heading of docs/runbook.md, too. The code that sees
 * a failure reports it; health, metrics and the dashboard read what is reported.
 */
export const CONDITIONS = {
  'database-failing': page(
    'database',
    'The database is failing, so webhooks are not stored and memberships kept in it cannot be read.',
    'Check that the database is up and accepts writes, and that it has disk space and free connections.',
  ),
  'partner-token-missing': page(
    'issuer',
    'There is no valid partner token, so the service cannot call the upstream.',
    'Check issuer-failing and credentials-refused: one of them says why.',
  ),
  'credentials-refused': page(
    'operator',
    'The issuer rejects the client credentials.',
    'Write the current client secret to the file of PARTNER_CLIENT_SECRET_FILE, or set it and restart.',
  ),
  'issuer-failing': page(
    'issuer',
    'The issuer is not issuing partner tokens; users notice once there is no valid one left.',
    "Call ISSUER_TOKEN_URL from this host, and contact the issuer's operator.",
  ),
  'upstream-failing': page(
    'upstream',
    'The upstream is failing.',
    'Send its operator the upstream request ids of failed requests, which are in the audit trail.',
  ),
  'upstream-rate-limited': page(
    'upstream',
    'The upstream is rate-limiting this service.',
    'Find out from the audit trail who sends the most, or ask the upstream for a higher limit.',
  ),
  'webhooks-not-stored': page(
    'database',
    'Webhooks cannot be stored; the upstream will send them again.',
    "Check the database's disk space and latency.",
  ),
  'webhooks-refused': page(
    'operator',
    'Most signed webhooks match none of the configured secrets.',
    'If webhooks are still accepted, leave the secrets alone (somebody is forging, or one subscription has another secret); otherwise put the current secret first in WEBHOOK_SECRETS.',
  ),
  'identity-provider-failing': page(
    'identity-provider',
    'The keys that verify end-user tokens cannot be fetched; the last ones, if any, work for an hour.',
    "Fetch END_USER_JWKS_URL, or the issuer's discovery document, from this host.",
  ),
  'memberships-failing': page(
    'operator',
    'The membership service is failing; users whose membership is not cached are turned away.',
    'Call HIRER_ACCESS_URL from this host.',
  ),
  'events-late': page(
    'sink',
    'An event has waited more than ten minutes to be delivered.',
    'Restore the event sink, or the upstream if the event is waiting for its object; nothing is lost.',
  ),
  'internal-errors': page(
    'service',
    'Requests failed in the last ten minutes because of a fault in this service.',
    'Find the log lines of level error; if they started with a release, roll back.',
  ),
  'audit-dropped': page(
    'database',
    'Audit records were lost in the last ten minutes; the log still has a line for each request.',
    'Restore the database, or give it disk space.',
  ),
  'upstream-slow': ticket(
    'upstream',
    'The upstream is slow: more than one call in twenty takes longer than two seconds.',
    "Time the query { version } from this host, and tell the upstream's operator if it is slow too.",
  ),
  'redis-failing': ticket(
    'redis',
    'The Redis server does not answer or rejects commands; each replica limits and caches on its own.',
    'Restore Redis; the service reconnects by itself.',
  ),
  'deliveries-failing': ticket(
    'sink',
    'Deliveries to the event sink are failing; they are retried on its schedule.',
    'Restore the sink, then redeliver one event: when it is accepted, everything that failed follows.',
  ),
  'events-dead': ticket(
    'sink',
    'Events were given up; the sink gets them only if somebody redelivers them.',
    'Read the last failure of a dead event, fix the sink, then redeliver.',
  ),
  'reconciliation-late': ticket(
    'upstream',
    'Events are not being reconciled, so those that no webhook brought are not found.',
    "Check the log for the upstream's answer to the events query.",
  ),
  'secret-refused': ticket(
    'operator',
    'A new secret was rejected; the previous one stays in effect.',
    'Correct the file of the setting that the log names.',
  ),
  'schema-drift': ticket(
    'upstream',
    "The upstream's schema has changed and rejects some of this service's operations.",
    'Run partner-bff operations check, and correct the operations it names.',
  ),
} satisfies Record<string, Condition>;

/** The name of one of {@link CONDITIONS}. */
export type ConditionName = keyof typeof CONDITIONS;
