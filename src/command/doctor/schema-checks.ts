import type { Config } from '../../config/load-config.js';
import { RequestContext } from '../../http/request-context.js';
import { fetchSchema, readSchema, SchemaFault } from '../../operations/check-documents.js';
import { loadOperations } from '../../operations/registered-operations.js';
import { findDrift } from '../../ops/schema-check/schema-drift.js';
import { countDrift, counted } from '../command.js';
import type { PartnerAccess } from '../partner-access.js';
import { UpstreamSubscriptions } from '../subscriptions/upstream-subscriptions.js';
import { fail, ok, warn, type Check, type Result } from './finding.js';
import { withToken } from './upstream-checks.js';

const LOOK = 'run: partner-bff operations check';
const NO_SECRETS = 'nothing if you want no webhooks; otherwise set it (partner-bff secrets generates one)';
const LOST_SECRETS =
  'set WEBHOOK_SECRETS here and at the service; if the secret is lost: partner-bff subscriptions rotate --force';
const COMPARE_WITH_FILE =
  'compare them with a copy of the schema: partner-bff operations check --schema <file>';

/** Registered operations against the upstream's schema; an upstream that does not give it proves none wrong. */
export function operationsCheck({ OPERATIONS_DIR }: Config, partner: PartnerAccess): Check {
  return {
    name: 'operations',
    todo: LOOK,
    run: () =>
      withToken(partner, async (token) => {
        const registered = [...loadOperations(OPERATIONS_DIR).all()];
        const operations = counted(registered.length, 'operation');
        const schema = await fetchSchema(partner.upstream, token, RequestContext.background()).catch(
          (error: unknown) => error as Error,
        );
        if (schema instanceof SchemaFault) {
          return warn(`${operations}; ${schema.message}`, COMPARE_WITH_FILE);
        }
        if (schema instanceof Error) throw schema;
        const drift = findDrift(readSchema(schema), registered);
        const seen = `${operations}: ${countDrift(drift)}`;
        if (drift.faults.length > 0) return fail(seen, LOOK);
        return drift.deprecated.length > 0 ? warn(seen, LOOK) : ok(seen);
      }),
  };
}

/** The upstream's webhook subscriptions, where the settings say that webhooks are wanted. */
export function subscriptionsCheck(config: Config, partner: PartnerAccess): Check {
  const { EVENTS_SCHEME_ID: schemeId, WEBHOOK_SECRETS } = config;
  return {
    name: 'subscriptions',
    todo: 'check EVENTS_SCHEME_ID and PARTNER_AUDIENCE',
    run: async () => {
      const hasSecrets = WEBHOOK_SECRETS.length > 0;
      if (schemeId === undefined) {
        return hasSecrets
          ? warn(
              'not tried: EVENTS_SCHEME_ID is not set',
              'set it: the service then also finds missed events',
            )
          : warn('WEBHOOK_SECRETS is not set, so webhooks are not accepted', NO_SECRETS);
      }
      return withToken(partner, () => listSubscriptions(partner, schemeId, hasSecrets));
    },
  };
}

async function listSubscriptions(
  partner: PartnerAccess,
  schemeId: string,
  hasSecrets: boolean,
): Promise<Result> {
  const found = await new UpstreamSubscriptions(partner, schemeId).list();
  if (!hasSecrets) {
    const seen = 'WEBHOOK_SECRETS is not set, so webhooks are not accepted';
    return found.length === 0 ? warn(seen, NO_SECRETS) : fail(`${found.length}, and ${seen}`, LOST_SECRETS);
  }
  if (found.length === 0) return warn('none', 'run: partner-bff subscriptions ensure --url … --types all');
  const unsigned = found.filter(({ isSigned }) => !isSigned).length;
  const seen = `${found.length}, of which ${unsigned} unsigned`;
  return unsigned > 0 ? warn(seen, 'run: partner-bff subscriptions rotate') : ok(seen);
}
