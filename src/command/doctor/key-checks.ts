import { DiscoveredKeySet, KeySetUrl, type KeySetEndpoint } from '../../auth/keys/key-set-endpoint.js';
import { readKeySet } from '../../auth/keys/key-set.js';
import type { Config } from '../../config/load-config.js';
import type { Clocks } from './clocks.js';
import { fail, ok, warn, type Check, type Result } from './finding.js';
import { ObservedClients } from './observed-clients.js';

const OTHER_HOST =
  'nothing, if your provider documents this address; otherwise leave END_USER_JWKS_URL unset, and discovery at the issuer finds the keys';
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
    return [{ name, todo: ADVICE, run: () => readAt(END_USER_JWKS_URL, END_USER_ISSUER[0], clients) }];
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

/** Many providers keep their keys on another host, and so do those who named a wrong one: only a warning. */
async function readAt(keySet: URL, issuer: string | undefined, clients: ObservedClients): Promise<Result> {
  const result = await read(new KeySetUrl(keySet, clients));
  const host = issuer !== undefined && URL.canParse(issuer) ? new URL(issuer).hostname : keySet.hostname;
  if (result.state !== 'ok' || host === keySet.hostname) return result;
  return warn(`${result.seen}, from ${keySet.hostname}, while the issuer is ${host}`, OTHER_HOST);
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
