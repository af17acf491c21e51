import { DiscoveredKeySet, KeySetUrl, type KeySetEndpoint } from '../../auth/keys/key-set-endpoint.js';
import { readKeySet } from '../../auth/keys/key-set.js';
import type { Config } from '../../config/load-config.js';
import type { Clocks } from './clocks.js';
import { fail, ok, type Check, type Result } from './finding.js';
import { ObservedClients } from './observed-clients.js';

const ADVICE =
  'check that this machine may reach it; until then users get 503 (docs/identity-providers.md, docs/configuration.md)';

/** The keys of end users: a check for each place that they come from. */
export function keyChecks(config: Config, clocks: Clocks): Check[] {
  const { END_USER_PUBLIC_KEY, END_USER_SECRET, END_USER_JWKS_URL, END_USER_ISSUER } = config;
  if (END_USER_PUBLIC_KEY.length > 0) return [fixed('END_USER_PUBLIC_KEY')];
  if (END_USER_SECRET.length > 0) return [fixed('END_USER_SECRET')];
  const name = 'end-user keys';
  if (END_USER_JWKS_URL) {
    const clients = new ObservedClients(name, config, clocks);
    return [{ name, todo: ADVICE, run: () => read(new KeySetUrl(END_USER_JWKS_URL, clients)) }];
  }
  return END_USER_ISSUER.map((issuer, index) => {
    const place = END_USER_ISSUER.length > 1 ? `${name} ${index + 1}` : name;
    const clients = new ObservedClients(place, config, clocks);
    return { name: place, todo: ADVICE, run: () => read(new DiscoveredKeySet(issuer, clients)) };
  });
}

function fixed(setting: string): Check {
  return { name: 'end-user keys', todo: ADVICE, run: async () => ok(`set by ${setting}: nothing to fetch`) };
}

async function read(endpoint: KeySetEndpoint): Promise<Result> {
  try {
    const keys = await readKeySet(await endpoint.fetch());
    const seen = `${keys.length} keys that verify signatures`;
    return keys.length > 0 ? ok(seen) : fail(seen, 'check that the set holds public signing keys');
  } finally {
    await endpoint.close();
  }
}
