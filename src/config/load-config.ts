import { ExitFault } from '../errors/exit-fault.js';
import { isBrokerUrl } from './values/broker-url.js';
import { portFaults, readFault, writeFault } from './faults/environment-faults.js';
import { machineFaults } from './values/machine-subject.js';
import { isDiscoverable, isLoopbackHost } from './values/url-forms.js';
import { warnOfUnknownSettings } from './faults/unknown-settings.js';
import {
  fileVariable,
  isSet,
  readSetting,
  readText,
  withPlaygroundDefaults,
  type Environment,
} from './read-setting.js';
import { SETTINGS, type SettingName } from './settings.js';
import { SHIPPED } from './settings/proxy.js';

export { fileVariable, isSet, readSetting, readText, type Environment };

type ValueOf<N extends SettingName> =
  ReturnType<(typeof SETTINGS)[N]['parse']> extends infer R
    ? (R extends { readonly value: infer V } ? V : never) | (typeof SETTINGS)[N]['fallback']
    : never;

/** Every setting under its own name, validated; frozen. */
export type Config = { readonly [N in SettingName]: ValueOf<N> } & {
  /** True if the service runs against its own playground, with no account. */
  readonly playground: boolean;
  /** Files that settings were read from, by name of the setting. */
  readonly secretFiles: Readonly<Partial<Record<SettingName, string>>>;
};

/** Injection token of the validated {@link Config}. */
export const CONFIG = Symbol('CONFIG');

/** Exit code when the configuration is not valid (sysexits, EX_CONFIG). */
export const CONFIG_EXIT_CODE = 78;

/** The page that explains settings whose names begin so, or a file of theirs; `docs/configuration.md` lists them all. */
const PAGES: readonly (readonly [start: RegExp, page: string])[] = [
  [/^(END_USER_|USER_ID_KEY)/, 'docs/identity-providers.md'],
  [/^(MACHINE_|RATE_LIMIT_MACHINE_)/, 'docs/back-ends.md'],
  [/^(WEBHOOK_|EVENT)/, 'docs/events.md'],
  [/^(OPERATIONS_|REGISTERED_)|\.graphql:\d+: /, 'docs/registered-operations.md'],
  [/^(OPERATION_|BATCH_)/, 'docs/graphql.md'],
];

/** All faults of a configuration at once, and the pages that explain them. Names variables, never their values. */
export class ConfigError extends ExitFault {
  override readonly name = 'ConfigError';

  /** @param hints variables that may be misspelt: often what is missing */
  constructor(
    readonly faults: readonly string[],
    readonly hints: readonly string[] = [],
  ) {
    const lines = [...faults, ...hints].map((fault) => `  - ${fault}`);
    const text = ['The configuration is not valid:', ...lines, `See ${pagesOf(faults).join(', ')}.`];
    super(text.join('\n'), CONFIG_EXIT_CODE);
  }
}

/** The pages that explain these faults, each of which begins with the name of its setting, or the place in its file. */
function pagesOf(faults: readonly string[]): string[] {
  const special = PAGES.filter(([start]) => faults.some((fault) => start.test(fault)));
  return ['docs/configuration.md', ...special.map(([, page]) => page)];
}

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

/**
 * Reads and checks the whole environment.
 * @param playground whether the values for upstream and end users come from the playground; by default, whether
 *   `UPSTREAM_URL` is unset and nothing shows a real deployment
 * @throws ConfigError with every fault
 */
export function loadConfig(environment: Environment, playground?: boolean): Config {
  const faults: string[] = [];
  const isPlayground =
    playground ?? (!isSet(environment, 'UPSTREAM_URL') && deploymentSigns(environment).length === 0);
  const effective = isPlayground ? withPlaygroundDefaults(environment) : environment;
  const values: Record<string, unknown> = { secretFiles: filesOf(environment), playground: isPlayground };
  for (const name of Object.keys(SETTINGS) as SettingName[]) {
    values[name] = readSetting(name, effective, faults);
  }
  const config = Object.freeze(values) as Config;
  faults.push(...crossFaults(config, environment));
  if (faults.length > 0) throw new ConfigError(faults, warnOfUnknownSettings(environment));
  return config;
}

/**
 * Some settings of an environment, by themselves.
 * @throws ConfigError with every fault
 */
export function readSettings<Name extends SettingName>(
  names: readonly Name[],
  environment: Environment,
): Pick<Config, Name> {
  const faults: string[] = [];
  const values = names.map((name) => [name, readSetting(name, environment, faults)] as const);
  if (faults.length > 0) throw new ConfigError(faults);
  return Object.fromEntries(values) as unknown as Pick<Config, Name>;
}

function filesOf(environment: Environment): Record<string, string> {
  const files = Object.keys(SETTINGS).map((name) => [name, environment[fileVariable(name)]] as const);
  return Object.fromEntries(files.filter((entry): entry is [string, string] => Boolean(entry[1])));
}

/** Faults that lie between settings. A setting whose own value was refused has its fallback here. */
function crossFaults(config: Config, environment: Environment): string[] {
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
function deploymentSigns(environment: Environment): string[] {
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
    .map((name) => `EVENT_SINKS_FILE and ${name} are both set; keep one: the file holds what ${name} says`);
}

function roleFaults({ ROLE_SCOPES, ALLOWED_SCOPES }: Config): string[] {
  const unknown = [...(ROLE_SCOPES?.values() ?? [])].some((scopes) =>
    scopes.some((scope) => !ALLOWED_SCOPES.includes(scope)),
  );
  return unknown
    ? ['ROLE_SCOPES holds a scope that is not in ALLOWED_SCOPES; add it there or remove it']
    : [];
}

function folderFaults({ DATABASE_URL, DATA_DIR, OPERATIONS_DIR }: Config): string[] {
  const isStoredHere = DATABASE_URL === undefined && DATA_DIR !== ':memory:';
  const data = isStoredHere ? writeFault(DATA_DIR) : undefined;
  const operations = OPERATIONS_DIR.map((folder) => (folder === SHIPPED ? undefined : readFault(folder)));
  return [
    ...(data === undefined ? [] : [`DATA_DIR ${data}`]),
    ...operations.flatMap((fault, index) =>
      fault === undefined ? [] : [`OPERATIONS_DIR folder ${index + 1} ${fault}`],
    ),
  ];
}
