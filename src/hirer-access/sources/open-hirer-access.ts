import type { Config } from '../../config/load-config.js';
import type { Secrets } from '../../config/secrets.js';
import type { DependencyClients } from '../../http/outgoing/dependency-client.js';
import type { Conditions } from '../../telemetry/conditions/conditions.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { CachedHirerAccess } from './cached-hirer-access.js';
import { ClaimHirerAccess } from './claim-hirer-access.js';
import type { DatabaseMemberships } from './database-memberships.js';
import type { HirerAccess } from '../hirer-access.js';
import { HttpMemberships } from './http-memberships.js';
import type { MembershipSource } from './membership-source.js';

/** Most connections to a membership service. */
const CONNECTIONS_MAX = 16;

/** Where memberships are kept, by `HIRER_ACCESS`; undefined when the token itself states them. */
export function openMembershipSource(
  config: Pick<Config, 'HIRER_ACCESS' | 'HIRER_ACCESS_URL'>,
  database: DatabaseMemberships,
  secrets: Secrets,
  clients: DependencyClients,
  conditions: Conditions,
): MembershipSource | undefined {
  switch (config.HIRER_ACCESS) {
    case 'database':
      return database;
    case 'http':
      return openHttpMemberships(config.HIRER_ACCESS_URL!, secrets, clients, conditions);
    case 'claim':
      return undefined;
    default:
      return config.HIRER_ACCESS satisfies never;
  }
}

function openHttpMemberships(
  url: URL,
  secrets: Secrets,
  clients: DependencyClients,
  conditions: Conditions,
): HttpMemberships {
  const client = clients.open('membership-service', url, CONNECTIONS_MAX);
  const calls = conditions.calls('memberships-failing', 'membership-service');
  return new HttpMemberships(url, client, () => secrets.current.HIRER_ACCESS_SECRET, calls);
}

/** Memberships of the source, cached; or those that the token states. */
export function openHirerAccess(
  { HIRER_ACCESS_CLAIM }: Pick<Config, 'HIRER_ACCESS_CLAIM'>,
  source: MembershipSource | undefined,
  metrics: Metrics,
): HirerAccess {
  return source ? new CachedHirerAccess(source, metrics) : new ClaimHirerAccess(HIRER_ACCESS_CLAIM);
}
