import type { Config } from '../config.js';
import { isSet, readSetting, type Environment } from '../read-setting.js';
import type { SettingName } from '../settings.js';
import { isBrokerUrl } from '../values/broker-url.js';
import { isDiscoverable, isLoopbackHost } from '../values/url-forms.js';
import { folderFaults, portFaults } from './environment-faults.js';

/** Settings that only a real deployment has: the playground does not start with any of them. */
const DEPLOYMENT_SETTINGS = [
  'ISSUER_TOKEN_URL',
  'PARTNER_CLIENT_ID',
  'PARTNER_CLIENT_SECRET',
  'PARTNER_AUDIENCE',
  'END_USER_JWKS_URL',
  'END_USER_PUBLIC_KEY',
  'END_USER_SECRET',
  'END_USER_ISSUER',
  'END_USER_AUDIENCE',
  'DATABASE_URL',
  'REDIS_URL',
] as const satisfies readonly SettingName[];

/** Faults that lie between settings. A setting whose own value was refused has its fallback here. */
export function crossFaults(config: Config, environment: Environment): string[] {
  return [
    ...modeFaults(config, environment),
    ...endUserFaults(config, environment),
    ...plainHttpFaults(config),
    ...dependentFaults(config, environment),
    ...sinkFaults(environment),
    ...roleFaults(config),
    ...machineFaults(config),
    ...folderFaults(config),
    ...portFaults(config),
  ];
}

function modeFaults(config: Config, environment: Environment): string[] {
  if (config.playground) return [];
  const required = ['ISSUER_TOKEN_URL', 'PARTNER_CLIENT_ID', 'PARTNER_CLIENT_SECRET'] as const;
  const missing = [...required, 'USER_ID_KEY' as const, 'SEALING_KEY' as const]
    .filter((name) => !isSet(environment, name))
    .map((name) => `${name} is required outside playground mode`);
  if (isSet(environment, 'UPSTREAM_URL')) return missing;
  const signs = deploymentSigns(environment).join(', ');
  return [`UPSTREAM_URL is required: the playground does not start with ${signs}`, ...missing];
}

/** The signs that the service was not meant to start its playground, by name of the variable. */
export function deploymentSigns(environment: Environment): string[] {
  const isProduction = /^\W*production\W*$/i.test(environment['NODE_ENV'] ?? '');
  const variables = DEPLOYMENT_SETTINGS.flatMap((name) => [name, `${name}_FILE`]);
  return [
    ...(isProduction ? ['NODE_ENV production'] : []),
    ...variables.filter((name) => environment[name]),
    ...(isLoopbackHost(String(readSetting('OPS_HOST', environment, []))) ? [] : ['OPS_HOST off loopback']),
  ];
}

function endUserFaults(config: Config, environment: Environment): string[] {
  const sources = ['END_USER_JWKS_URL', 'END_USER_PUBLIC_KEY', 'END_USER_SECRET'] as const;
  const set = sources.filter((name) => isSet(environment, name));
  const faults = publicKeyFaults(config);
  if (set.length > 1) faults.push(`${set.join(' and ')} are set; keep one`);
  const isSecret = isSet(environment, 'END_USER_SECRET');
  if (config.END_USER_ALGORITHMS.some((name) => name.startsWith('HS') !== isSecret)) {
    faults.push('END_USER_ALGORITHMS does not fit the key: use HS algorithms with END_USER_SECRET only');
  }
  if (config.playground) return faults;
  for (const name of ['END_USER_ISSUER', 'END_USER_AUDIENCE'] as const) {
    if (!isSet(environment, name)) faults.push(`${name} is required outside playground mode`);
  }
  return [...faults, ...issuerFaults(config.END_USER_ISSUER, set)];
}

/** @param keySettings those that are set of the settings that name keys; without any, discovery finds them */
function issuerFaults(issuers: readonly string[], keySettings: readonly SettingName[]): string[] {
  const several = issuers.length > 1 && keySettings.length > 0;
  if (several) {
    return [
      `END_USER_ISSUER names several issuers, whose keys only discovery finds: remove ${keySettings[0]}`,
    ];
  }
  if (keySettings.length > 0) return [];
  return issuers.flatMap((issuer, index) => (isDiscoverable(issuer) ? [] : [discoveryFault(index + 1)]));
}

function discoveryFault(item: number): string {
  return `END_USER_ISSUER item ${item} must be an https URL without query or fragment, so that its keys are found by OpenID discovery; or set one of END_USER_JWKS_URL, END_USER_PUBLIC_KEY, END_USER_SECRET`;
}

/** The fault if the public keys cannot verify by the configured algorithms; also asked when a key is rotated. */
export function publicKeyFaults(
  config: Pick<Config, 'END_USER_PUBLIC_KEY' | 'END_USER_ALGORITHMS'>,
): string[] {
  const possible = [...new Set(config.END_USER_PUBLIC_KEY.flatMap(({ algorithms }) => algorithms))];
  const fits = config.END_USER_ALGORITHMS.every((name) => possible.includes(name));
  return fits || possible.length === 0
    ? []
    : [`END_USER_ALGORITHMS does not fit END_USER_PUBLIC_KEY, which can verify ${possible.join(', ')}`];
}

/** Settings whose URLs may be plain http off loopback, and are not at a host that is listed for it. */
function plainHttpFaults(config: Config): string[] {
  return (['END_USER_JWKS_URL', 'HIRER_ACCESS_URL'] as const).flatMap((name) => {
    const url = config[name];
    if (url?.protocol !== 'http:' || isLoopbackHost(url.hostname)) return [];
    if (config.HTTP_HOSTS.includes(url.hostname)) return [];
    return [
      `${name} must be https: plain http is accepted for a loopback host, or one that HTTP_HOSTS lists`,
    ];
  });
}

/** Settings that another one makes necessary. */
function dependentFaults(config: Config, environment: Environment): string[] {
  const needs = (name: SettingName, reason: string, isNeeded: boolean): string[] =>
    isNeeded && !isSet(environment, name) ? [`${name} is required when ${reason}`] : [];
  return [
    ...needs('OPS_TOKEN', 'OPS_HOST is not loopback', !isLoopbackHost(config.OPS_HOST)),
    ...needs('HIRER_ACCESS_URL', 'HIRER_ACCESS is http', config.HIRER_ACCESS === 'http'),
    ...needs('EVENT_SINK_SECRET', 'EVENT_SINK_URL is set', isHttp(config.EVENT_SINK_URL)),
  ];
}

function isHttp(url: URL | undefined): boolean {
  return url !== undefined && !isBrokerUrl(url);
}

/** The file says for each sink what these say for the single one. */
function sinkFaults(environment: Environment): string[] {
  if (!isSet(environment, 'EVENT_SINKS_FILE')) return [];
  return (['EVENT_SINK_URL', 'EVENT_SINK_SECRET', 'EVENT_SINK_TYPES', 'EVENT_SINK_HIRERS'] as const)
    .filter((name) => isSet(environment, name))
    .map((name) => `EVENT_SINKS_FILE and ${name} are both set; keep one: the file replaces ${name}`);
}

function roleFaults({ ROLE_SCOPES, ALLOWED_SCOPES }: Config): string[] {
  const unknown = [...(ROLE_SCOPES?.values() ?? [])].some((scopes) =>
    scopes.some((scope) => !ALLOWED_SCOPES.includes(scope)),
  );
  return unknown
    ? ['ROLE_SCOPES holds a scope that is not in ALLOWED_SCOPES; add it there or remove it']
    : [];
}

/** What is wrong with `MACHINE_SUBJECTS` beside the other settings: an entry of an issuer that signs nobody in. */
function machineFaults({ MACHINE_SUBJECTS, END_USER_ISSUER }: Config): string[] {
  return MACHINE_SUBJECTS.flatMap(({ issuer }, index) =>
    issuer === undefined || END_USER_ISSUER.includes(issuer)
      ? []
      : [
          `MACHINE_SUBJECTS item ${index + 1} names an issuer that is not in END_USER_ISSUER; a subject that holds # is written as issuer#subject`,
        ],
  );
}
