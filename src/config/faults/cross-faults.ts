import { readdirSync } from 'node:fs';
import type { Config } from '../config.js';
import { isSet, readSetting, type Environment } from '../read-setting.js';
import type { SettingName } from '../settings.js';
import { SHIPPED } from '../settings/proxy.js';
import { isBrokerUrl } from '../values/broker-url.js';
import { isDiscoverable, isLoopbackHost } from '../values/url-forms.js';
import { portFaults } from './start-faults.js';

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
function issuerFaults(issuers: readonly string[], [keySetting]: readonly SettingName[]): string[] {
  if (keySetting !== undefined) {
    return issuers.length > 1
      ? [`END_USER_ISSUER names several issuers, whose keys only discovery finds: remove ${keySetting}`]
      : [];
  }
  return issuers.flatMap((issuer, index) => {
    const fault = `END_USER_ISSUER item ${index + 1} must be an https URL without query or fragment, so that its keys are found by OpenID discovery; or set one of END_USER_JWKS_URL, END_USER_PUBLIC_KEY, END_USER_SECRET`;
    return isDiscoverable(issuer) ? [] : [fault];
  });
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
    const fault = `${name} must be https: plain http is accepted for a loopback host, or one that HTTP_HOSTS lists`;
    return config.HTTP_HOSTS.includes(url.hostname) ? [] : [fault];
  });
}

function dependentFaults(config: Config, environment: Environment): string[] {
  const { EVENT_SINK_URL: sink } = config;
  const needs = (name: SettingName, reason: string, isNeeded: boolean): string[] =>
    isNeeded && !isSet(environment, name) ? [`${name} is required when ${reason}`] : [];
  return [
    ...needs('OPS_TOKEN', 'OPS_HOST is not loopback', !isLoopbackHost(config.OPS_HOST)),
    ...needs('HIRER_ACCESS_URL', 'HIRER_ACCESS is http', config.HIRER_ACCESS === 'http'),
    ...needs('EVENT_SINK_SECRET', 'EVENT_SINK_URL is set', sink !== undefined && !isBrokerUrl(sink)),
  ];
}

/** The file says for each sink what these say for the single one. */
function sinkFaults(environment: Environment): string[] {
  if (!isSet(environment, 'EVENT_SINKS_FILE')) return [];
  return (['EVENT_SINK_URL', 'EVENT_SINK_SECRET', 'EVENT_SINK_TYPES', 'EVENT_SINK_HIRERS'] as const)
    .filter((name) => isSet(environment, name))
    .map((name) => `EVENT_SINKS_FILE and ${name} are both set; keep one: the file replaces ${name}`);
}

function roleFaults({ ROLE_SCOPES, ALLOWED_SCOPES }: Config): string[] {
  const scopes = [...(ROLE_SCOPES?.values() ?? [])].flat();
  if (scopes.every((scope) => ALLOWED_SCOPES.includes(scope))) return [];
  return ['ROLE_SCOPES holds a scope that is not in ALLOWED_SCOPES; add it there or remove it'];
}

/** What is wrong with `MACHINE_SUBJECTS` beside the other settings: an entry of an issuer that signs nobody in. */
function machineFaults({ MACHINE_SUBJECTS, END_USER_ISSUER }: Config): string[] {
  return MACHINE_SUBJECTS.flatMap(({ issuer }, index) => {
    const fault = `MACHINE_SUBJECTS item ${index + 1} names an issuer that is not in END_USER_ISSUER; a subject that holds # is written as issuer#subject`;
    return issuer === undefined || END_USER_ISSUER.includes(issuer) ? [] : [fault];
  });
}

function folderFaults({ OPERATIONS_DIR }: Config): string[] {
  return OPERATIONS_DIR.flatMap((folder, index) => {
    try {
      if (folder !== SHIPPED) readdirSync(folder);
      return [];
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return [`OPERATIONS_DIR folder ${index + 1} cannot be read (${code})`];
    }
  });
}
