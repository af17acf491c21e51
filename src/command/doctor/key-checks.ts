import { createPublicKey } from 'node:crypto';
import { DEFAULT_ALGORITHMS } from '../../auth/keys/jwks-keys.js';
import { discoverKeySet, fetchKeySet, ForeignIssuer } from '../../auth/keys/discovery.js';
import type { Config } from '../../config/load-config.js';
import { algorithmsOf, type Algorithm } from '../../config/values/public-keys.js';
import { isDiscoverable } from '../../config/values/url-forms.js';
import { ExchangeFault } from '../../http/outgoing/exchange.js';
import { isObject } from '../../json/parse-json.js';
import { counted } from '../command.js';
import { fail, ok, warn, type Check, type Result } from './finding.js';
import { reasonOf } from './upstream-checks.js';

const NAME = 'end-user keys';
const TEXT_MAX = 200;

const ADVICE =
  'check that this machine can reach it; until then users get 503 (docs/identity-providers.md, docs/configuration.md)';

/** From where the keys of end users are fetched, by the name of the check; from nowhere where a setting holds them. */
export function keyPlaces(config: Config): [name: string, from: URL | string][] {
  const { END_USER_PUBLIC_KEY, END_USER_SECRET, END_USER_JWKS_URL, END_USER_ISSUER } = config;
  if (END_USER_PUBLIC_KEY.length + END_USER_SECRET.length > 0) return [];
  if (END_USER_JWKS_URL) return [[NAME, END_USER_JWKS_URL]];
  return END_USER_ISSUER.map((issuer, index) => [
    END_USER_ISSUER.length > 1 ? `${NAME} ${index + 1}` : NAME,
    issuer,
  ]);
}

/** The keys of end users: a check for each place that they come from. */
export function keyChecks(config: Config): Check[] {
  const places = keyPlaces(config);
  if (places.length === 0) {
    const setting = config.END_USER_SECRET.length > 0 ? 'END_USER_SECRET' : 'END_USER_PUBLIC_KEY';
    return [{ name: NAME, todo: ADVICE, run: async () => ok(`set by ${setting}: nothing to fetch`) }];
  }
  return places.map(([name, from]) => ({
    name,
    todo: ADVICE,
    run: () => (from instanceof URL ? readAt(from, config) : discover(from, config)),
  }));
}

/** The service asks the issuer nothing then; but where it has a discovery document, tokens carry the name that it says. */
async function readAt(keySet: URL, config: Config): Promise<Result> {
  const result = await fetchKeySet(keySet, config)
    .then((set) => judge(set, config))
    .catch((error: unknown) => {
      if (error instanceof ExchangeFault) throw error;
      return fail(reasonOf(error), 'check END_USER_JWKS_URL: the response is not a JWK set');
    });
  const [issuer] = config.END_USER_ISSUER;
  if (result.state !== 'ok' || issuer === undefined) return result;
  if (!isDiscoverable(issuer, config.HTTP_HOSTS)) return result;
  try {
    await discoverKeySet(issuer, config);
    return result;
  } catch (error) {
    return error instanceof ForeignIssuer ? otherIssuer(issuer, error.issuer) : result;
  }
}

async function discover(issuer: string, config: Config): Promise<Result> {
  try {
    return judge(await discoverKeySet(issuer, config), config);
  } catch (error) {
    if (error instanceof ForeignIssuer) return otherIssuer(issuer, error.issuer);
    if (error instanceof ExchangeFault) throw error;
    return fail(reasonOf(error), `check END_USER_ISSUER: ${issuer} answers, but not as an OpenID issuer`);
  }
}

/** Tokens carry the issuer as the document names it, so that the setting is wrong, or the address. */
function otherIssuer(issuer: string, named: unknown): Result {
  const name = typeof named === 'string' ? named.slice(0, TEXT_MAX) : 'none';
  const isSlash = name.replace(/\/$/, '') === issuer.replace(/\/$/, '');
  return fail(
    `the discovery document names the issuer ${name}, and END_USER_ISSUER is ${issuer}`,
    isSlash ? `set END_USER_ISSUER=${name}` : 'set END_USER_ISSUER to the `iss` of your tokens',
  );
}

/** @throws Error for anything but a JWK set */
function judge(set: unknown, { END_USER_ALGORITHMS: configured }: Config): Result {
  const listed = isObject(set) ? set['keys'] : undefined;
  if (!Array.isArray(listed)) throw new Error('answered with JSON that is not a JWK set');
  const keys = listed.map(algorithmsIn).filter((algorithms) => algorithms.length > 0);
  const seen = `${counted(keys.length, 'key')} for verifying signatures`;
  if (keys.length === 0) return fail(seen, 'check that the set holds public signing keys');
  const accepted = configured.length > 0 ? configured : DEFAULT_ALGORITHMS;
  const refused = keys.filter((algorithms) => !algorithms.some((name) => accepted.includes(name)));
  if (refused.length === 0) return ok(seen);
  const names = [...new Set(refused.flat())].join(', ');
  return (refused.length < keys.length ? warn : fail)(
    `${seen}, ${refused.length} of them only for ${names}, which END_USER_ALGORITHMS does not accept`,
    `make the provider sign with ${accepted.join(' or ')}, or list its algorithm in END_USER_ALGORITHMS`,
  );
}

/** What a key of a set can verify; nothing if it is not meant for signatures, or malformed. */
function algorithmsIn(jwk: unknown): readonly Algorithm[] {
  if (!isObject(jwk) || (jwk['use'] ?? 'sig') !== 'sig' || 'd' in jwk) return [];
  try {
    const algorithms = algorithmsOf(createPublicKey({ key: jwk, format: 'jwk' }));
    return algorithms.filter((name) => (jwk['alg'] ?? name) === name);
  } catch {
    return [];
  }
}
