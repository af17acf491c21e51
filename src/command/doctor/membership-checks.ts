import type { Config } from '../../config/load-config.js';
import { HttpMemberships } from '../../hirer-access/sources/http-memberships.js';
import { counted } from '../command.js';
import type { Clocks } from './clocks.js';
import { ok, type Check } from './finding.js';
import { ObservedClients } from './observed-clients.js';

const NAME = 'membership service';
/** No identity provider's user. */
const SUBJECT = 'partner-bff-doctor';

/** The membership service, asked for a user that there is not; none where memberships are kept elsewhere. */
export function membershipChecks(config: Config, clocks: Clocks): Check[] {
  const { HIRER_ACCESS, HIRER_ACCESS_URL: url, HIRER_ACCESS_SECRET: secret } = config;
  if (HIRER_ACCESS !== 'http' || url === undefined) return [];
  const run = async () => {
    const client = new ObservedClients(NAME, config, clocks).open('membership-service', url, 1);
    const service = new HttpMemberships(url, client, () => secret);
    const [issuer = ''] = config.END_USER_ISSUER;
    try {
      const { memberships } = await service.read({ issuer, subject: SUBJECT });
      return ok(`answers; ${counted(memberships.length, 'membership')} for a user that there is not`);
    } finally {
      await client.close();
    }
  };
  const todo = 'check HIRER_ACCESS_URL and _SECRET; until it answers, users get 503 (docs/memberships.md)';
  return [{ name: NAME, todo, run }];
}
