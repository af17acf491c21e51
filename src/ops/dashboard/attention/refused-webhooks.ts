import type { Attention, ListLink } from './attention.js';
import { isDegraded, type Checks } from './failing-dependencies.js';
import { count, shareOf, type Minute } from './minute.js';

/** As that of the alert BffWebhooksRefused. */
const REFUSED_MIN = 5;
/** Webhooks have no audit records; the table of reasons counts them. */
const REASONS: ListLink = { name: 'refusals', filter: {} };

/** Webhooks that were not taken: their signature is wrong, they could not be stored, or they are no webhooks. */
export function refusedWebhooks(checks: Checks, { webhooks }: Minute): Attention[] {
  const { accepted = 0, cancelled = 0, invalid_signature: unsigned = 0 } = webhooks;
  const { unavailable = 0, internal_error = 0 } = webhooks;
  const all = Object.values(webhooks).reduce((sum, one) => sum + one, 0);
  const notStored = unavailable + internal_error;
  const malformed = all - accepted - cancelled - unsigned - notStored;
  const found: Attention[] = [];
  if (unsigned > REFUSED_MIN) found.push(badSignatures(unsigned, accepted, all));
  if (notStored > 0 && !isDegraded(checks, 'database')) {
    found.push({
      severity: 'bad',
      what: `${count(notStored, 'webhook was', 'webhooks were')} not stored in the last minute. The upstream sends them again.`,
      fault: 'Your database, or more webhooks at once than this replica takes',
      action: 'Check the disk and the latency of the database.',
      runbook: 'BffWebhooksNotStored',
      list: REASONS,
    });
  }
  if (malformed > REFUSED_MIN) {
    found.push({
      severity: 'warn',
      what: `${shareOf(malformed, all, 'webhooks')} were refused in the last minute: they are no webhooks as documented.`,
      fault: 'Upstream, a proxy that changes bodies, or strangers',
      action: 'The log lines of POST /webhooks say what is wrong with them.',
      runbook: 'invalid_request',
      list: REASONS,
    });
  }
  return found;
}

function badSignatures(unsigned: number, accepted: number, all: number): Attention {
  return {
    severity: 'bad',
    what: `${shareOf(unsigned, all, 'webhooks')} were refused in the last minute: their signature matches no secret.`,
    fault:
      accepted === 0
        ? 'Your WEBHOOK_SECRETS: most likely the secret was rotated at the upstream but not here'
        : 'Your WEBHOOK_SECRETS, or someone who forges webhooks',
    action:
      accepted === 0
        ? 'Put the new secret of the subscription first in WEBHOOK_SECRETS, the old one after it. The upstream sends again what was refused.'
        : 'Some are accepted: was the secret of one subscription rotated? If not, someone forges webhooks, and nothing of them is stored.',
    runbook: 'BffWebhooksRefused',
    list: REASONS,
  };
}
