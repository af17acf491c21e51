import type { Config } from '../../config/load-config.js';
import type { Secrets } from '../../config/secrets.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { CachedHirerAccess } from './cached-hirer-access.js';
import { ClaimHirerAccess } from './claim-hirer-access.js';
import type { DatabaseMemberships } from './database-memberships.js';
import type { HirerAccess } from '../hirer-access.js';
import { HttpMemberships } from './http-memberships.js';
import type { MembershipSource } from './membership-source.js';

/** Where memberships are kept, by `HIRER_ACCESS`; undefined when the token itself states them. */
export function openMembershipSource(
  config: Pick<Config, 'HIRER_ACCESS' | 'HIRER_ACCESS_URL'>,
  database: DatabaseMemberships,
  secrets: Secrets,
): MembershipSource | undefined {
  switch (config.HIRER_ACCESS) {
    case 'database':
      return database;
    case 'http':
      return new HttpMemberships(config.HIRER_ACCESS_URL!, () => secrets.current.HIRER_ACCESS_SECRET);
    case 'claim':
      return undefined;
    default:
      return config.HIRER_ACCESS satisfies never;
  }
}

/** Memberships of the source, cached; or those that the token states. */
export function openHirerAccess(
  { HIRER_ACCESS_CLAIM }: Pick<Config, 'HIRER_ACCESS_CLAIM'>,
  source: MembershipSource | undefined,
  metrics: Metrics,
): HirerAccess {
  return source ? new CachedHirerAccess(source, metrics) : new ClaimHirerAccess(HIRER_ACCESS_CLAIM);
}
