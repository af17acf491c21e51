import { isSet, type Config, type Environment } from '../load-config.js';
import { hasForeignHost } from '../read-setting.js';
import { warnOfUnknownSettings } from './unknown-settings.js';

const TWO_PSEUDONYMS =
  'USER_ID_KEY has a previous key: since the change the upstream sees every user under a new userId, and a search by subject finds the records of both';

const FOREIGN_HOST =
  'HOST is the name of a machine, as conda and csh set it: the playground listens on 127.0.0.1; set HOST to an address to change that';

/** Settings that only one `HIRER_ACCESS` reads. */
const ACCESS_OF = {
  HIRER_ACCESS_CLAIM: 'claim',
  HIRER_ACCESS_URL: 'http',
  HIRER_ACCESS_SECRET: 'http',
} as const;

/** Warnings about settings that are valid but perhaps not intended; logged at start and printed by `check`. */
export function startWarnings(config: Config, environment: Environment): string[] {
  const ofKeys = config.USER_ID_KEY.length > 1 ? [TWO_PSEUDONYMS] : [];
  const ofHost = config.playground && hasForeignHost(environment) ? [FOREIGN_HOST] : [];
  return [
    ...warnOfUnknownSettings(environment),
    ...ofHost,
    ...ofKeys,
    ...warnOfUnusedHeader(config),
    ...warnOfUnusedAccess(config, environment),
  ];
}

function warnOfUnusedHeader({ END_USER_TOKEN_HEADER, TRUST_PROXY }: Config): string[] {
  return END_USER_TOKEN_HEADER !== undefined && TRUST_PROXY.length === 0
    ? ['END_USER_TOKEN_HEADER has no effect without TRUST_PROXY: name the proxy that sets the header there']
    : [];
}

function warnOfUnusedAccess({ HIRER_ACCESS }: Config, environment: Environment): string[] {
  return Object.entries(ACCESS_OF)
    .filter(([name, source]) => source !== HIRER_ACCESS && isSet(environment, name))
    .map(
      ([name, source]) =>
        `${name} has no effect while HIRER_ACCESS is ${HIRER_ACCESS}: set HIRER_ACCESS=${source}, or remove ${name}`,
    );
}
