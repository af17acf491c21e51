/** Who can end a condition. */
export type Culprit =
  | 'service'
  | 'upstream'
  | 'issuer'
  | 'identity-provider'
  | 'database'
  | 'redis'
  | 'sink'
  | 'caller'
  | 'operator';

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

/**
 * Everything that can be wrong, worst first, by its name. A name is a heading of docs/runbook.md, too. The code that sees
 * a failure reports it; health, metrics and the dashboard read what is reported.
 */
export const CONDITIONS = {
  'database-failing': {
    severity: 'page',
    culprit: 'database',
    summary: 'The database fails: no webhook is stored, and memberships kept in it cannot be read.',
    action:
      'Restore the database: is it up, does it take writes, is its disk full, are its connections used up?',
  },
  'partner-token-missing': {
    severity: 'page',
    culprit: 'issuer',
    summary: 'There is no partner token, so nothing can be requested from the upstream.',
    action: 'Look at issuer-failing and credentials-refused, one of which says why.',
  },
  'credentials-refused': {
    severity: 'page',
    culprit: 'operator',
    summary: 'The issuer refuses the client credentials.',
    action:
      'Write the current client secret to the file of PARTNER_CLIENT_SECRET_FILE, or set it and restart.',
  },
  'issuer-failing': {
    severity: 'page',
    culprit: 'issuer',
    summary: 'The issuer gives no new partner token; one in hand serves until it expires.',
    action: 'Call ISSUER_TOKEN_URL from this host, and tell the operator of the issuer.',
  },
  'upstream-failing': {
    severity: 'page',
    culprit: 'upstream',
    summary: 'The upstream fails.',
    action: 'Tell its operator the upstream request ids of failed requests, which the audit trail has.',
  },
  'upstream-rate-limited': {
    severity: 'page',
    culprit: 'upstream',
    summary: 'The upstream limits this service.',
    action: 'Find in the audit trail who sends most, or ask the upstream for a higher limit.',
  },
  'webhooks-not-stored': {
    severity: 'page',
    culprit: 'database',
    summary: 'Webhooks cannot be stored; the upstream sends them again.',
    action: 'Look at the disk and the latency of the database.',
  },
  'webhooks-refused': {
    severity: 'page',
    culprit: 'operator',
    summary: 'Most webhooks have a signature that matches no secret.',
    action: 'Write the current secret of the subscription first in WEBHOOK_SECRETS, the old one after it.',
  },
  'identity-provider-failing': {
    severity: 'page',
    culprit: 'identity-provider',
    summary: 'The keys of end users cannot be fetched; the last ones, if any, serve for an hour.',
    action: 'Fetch END_USER_JWKS_URL, or the discovery document of the issuer, from this host.',
  },
  'memberships-failing': {
    severity: 'page',
    culprit: 'operator',
    summary: 'The membership service fails: users whose membership is not cached are turned away.',
    action: 'Call HIRER_ACCESS_URL from this host.',
  },
  'events-late': {
    severity: 'page',
    culprit: 'sink',
    summary: 'An event has waited for its delivery for more than ten minutes.',
    action: 'Restore the event sink, or the upstream whose object the event waits for; nothing is lost.',
  },
  'internal-errors': {
    severity: 'page',
    culprit: 'service',
    summary: 'Requests failed by a fault of this service in the last ten minutes.',
    action: 'Find the log lines of level error; if they began with a release, roll back.',
  },
  'audit-dropped': {
    severity: 'page',
    culprit: 'database',
    summary: 'Audit records were lost in the last ten minutes; the log has a line of each request.',
    action: 'Restore the database, or give it room.',
  },
  'upstream-slow': {
    severity: 'ticket',
    culprit: 'upstream',
    summary: 'The upstream is slow: more than one call in twenty takes longer than two seconds.',
    action: 'Time the query { version } from this host, and tell its operator if it is slow too.',
  },
  'redis-failing': {
    severity: 'ticket',
    culprit: 'redis',
    summary: 'Redis does not answer, or refuses commands: each replica limits and caches on its own.',
    action: 'Restore Redis; the service reconnects by itself.',
  },
  'deliveries-failing': {
    severity: 'ticket',
    culprit: 'sink',
    summary: 'The event sink does not accept events; they are tried again by its schedule.',
    action:
      'Restore the sink, then redeliver one event: when it is accepted, everything that failed follows.',
  },
  'events-dead': {
    severity: 'ticket',
    culprit: 'sink',
    summary: 'Events were given up: the sink gets them only when somebody redelivers them.',
    action: 'Read why in their last failure, fix the sink, then redeliver them.',
  },
  'reconciliation-late': {
    severity: 'ticket',
    culprit: 'upstream',
    summary: 'Events are not reconciled, so those that no webhook brought are not found.',
    action: 'Read in the log what the upstream answers to the events query.',
  },
  'secret-refused': {
    severity: 'ticket',
    culprit: 'operator',
    summary: 'A new secret is refused; the previous one stays in effect.',
    action: 'Correct the file that the log names.',
  },
  'schema-drift': {
    severity: 'ticket',
    culprit: 'upstream',
    summary: "The upstream's schema has changed: it refuses operations of this service.",
    action: 'Run partner-bff operations check, and correct what it names.',
  },
} as const satisfies Record<string, Condition>;

/** The name of one of {@link CONDITIONS}. */
export type ConditionName = keyof typeof CONDITIONS;
