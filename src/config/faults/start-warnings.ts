import { nearestName } from '../nearest-name.js';
import type { Config } from '../config.js';
import { isSet, type Environment } from '../read-setting.js';
import { SETTINGS } from '../settings.js';

const NAMES = Object.keys(SETTINGS);
const PREFIXES = new Set(NAMES.filter((name) => name.includes('_')).map((name) => `${name.split('_')[0]}_`));
/** A name that is further from every setting is no mistyped one. */
const DISTANCE_MAX = 2;
/** OpenTelemetry, the playground and proxies have variables of their own, with prefixes of ours. */
const FOREIGN = /^(OTEL|PLAYGROUND)_|_PROXY$/;

const TWO_PSEUDONYMS =
  'USER_ID_KEY has a previous key: since the change the upstream sees every user under a new userId, and a search by subject finds the records of both';

const UNUSED_HEADER =
  'END_USER_TOKEN_HEADER has no effect without TRUST_PROXY: name the proxy that sets the header there';

/** Settings that only one `HIRER_ACCESS` reads. */
const ACCESS_OF = { HIRER_ACCESS_CLAIM: 'claim', HIRER_ACCESS_URL: 'http', HIRER_ACCESS_SECRET: 'http' };

/** Warnings about settings that are valid but perhaps not intended; logged at start and printed by `check`. */
export function startWarnings(config: Config, environment: Environment): string[] {
  const isHeaderUnused = config.END_USER_TOKEN_HEADER !== undefined && config.TRUST_PROXY.length === 0;
  return [
    ...warnOfUnknownSettings(environment),
    ...(config.USER_ID_KEY.length > 1 ? [TWO_PSEUDONYMS] : []),
    ...(isHeaderUnused ? [UNUSED_HEADER] : []),
    ...warnOfUnusedAccess(config, environment),
  ];
}

function warnOfUnusedAccess({ HIRER_ACCESS }: Config, environment: Environment): string[] {
  return Object.entries(ACCESS_OF)
    .filter(([name, source]) => source !== HIRER_ACCESS && isSet(environment, name))
    .map(
      ([name, source]) =>
        `${name} has no effect while HIRER_ACCESS is ${HIRER_ACCESS}: set HIRER_ACCESS=${source}, or remove ${name}`,
    );
}

/**
 * A warning for each unknown variable that begins like one of ours, most likely a typing mistake, and for a proxy that
 * other programs would use.
 */
export function warnOfUnknownSettings(environment: Environment): string[] {
  const unknown = Object.keys(environment)
    .filter((name) => !(name in SETTINGS || name.replace(/_FILE$/, '') in SETTINGS))
    .flatMap((name) => warnOf(name));
  const { UPSTREAM_URL, HTTPS_PROXY, OUTBOUND_PROXY, OUTBOUND_PROXY_FILE } = environment;
  const isUnused = UPSTREAM_URL && HTTPS_PROXY && !OUTBOUND_PROXY && !OUTBOUND_PROXY_FILE;
  return isUnused
    ? [...unknown, 'HTTPS_PROXY is not read by this service; did you mean OUTBOUND_PROXY?']
    : unknown;
}

function warnOf(name: string): string[] {
  const near = nearest(name.replace(/_FILE$/, ''));
  const isOurs = !FOREIGN.test(name) && [...PREFIXES].some((prefix) => name.startsWith(prefix));
  if (near === undefined && !isOurs) return [];
  return [`${name} is not a setting of this service${near === undefined ? '' : `; did you mean ${near}?`}`];
}

/** The setting that a name is a mistyped one of, or lacks words of; short names are near to everything. */
function nearest(name: string): string | undefined {
  const errorsMax = Math.min(DISTANCE_MAX, name.length / 4);
  return nearestName(name, NAMES, errorsMax) ?? NAMES.find((known) => lacksWords(name, known));
}

function lacksWords(name: string, known: string): boolean {
  const [words, all] = [name.split('_'), known.split('_')];
  let from = 0;
  const isWithin = words.every((word) => (from = all.indexOf(word, from) + 1) > 0);
  return isWithin && words.length > 1 && words[0] === all[0];
}
