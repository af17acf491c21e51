import { readFileSync } from 'node:fs';
import { isLoopbackHost } from './setting.js';
import { SETTINGS, type SettingName } from './settings.js';

type ValueOf<N extends SettingName> =
  ReturnType<(typeof SETTINGS)[N]['parse']> extends infer R
    ? (R extends { readonly value: infer V } ? V : never) | (typeof SETTINGS)[N]['fallback']
    : never;

/** Every setting under its own name, validated; frozen. */
export type Config = { readonly [N in SettingName]: ValueOf<N> } & {
  /** Whether the service runs against its own playground, with no account. */
  readonly playground: boolean;
  /** Files that settings were read from (`<NAME>_FILE`), by name of the setting. */
  readonly secretFiles: Readonly<Partial<Record<SettingName, string>>>;
};

/** Injection token of the validated {@link Config}. */
export const CONFIG = Symbol('CONFIG');

/** Environment variables, by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Exit code of a start that its configuration refused (sysexits, EX_CONFIG). */
export const CONFIG_EXIT_CODE = 78;

/** All faults of a configuration at once. Names variables, never their values. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly faults: readonly string[]) {
    super(['The configuration is not valid:', ...faults.map((fault) => `  - ${fault}`)].join('\n'));
  }
}

/** Settings that only a real deployment has: with any of them the playground does not start. */
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
 *   `UPSTREAM_URL` is unset and nothing tells of a real deployment
 * @throws ConfigError with every fault
 */
export function loadConfig(environment: Environment, playground?: boolean): Config {
  const faults: string[] = [];
  const values: Record<string, unknown> = { secretFiles: filesOf(environment) };
  for (const name of Object.keys(SETTINGS) as SettingName[]) {
    values[name] = readSetting(name, environment, faults);
  }
  values['playground'] =
    playground ?? (!isSet(environment, 'UPSTREAM_URL') && deploymentSigns(environment, values).length === 0);
  const config = Object.freeze(values) as Config;
  faults.push(...crossFaults(config, environment));
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

function isSet(environment: Environment, name: string): boolean {
  return Boolean(environment[name]) || Boolean(environment[`${name}_FILE`]);
}

function filesOf(environment: Environment): Record<string, string> {
  const files = Object.keys(SETTINGS).map((name) => [name, environment[`${name}_FILE`]] as const);
  return Object.fromEntries(files.filter((entry): entry is [string, string] => Boolean(entry[1])));
}

/** Reads one setting; what is wrong with it is added to `faults`. */
export function readSetting(name: SettingName, environment: Environment, faults: string[]): unknown {
  const raw = rawValue(name, environment, faults);
  if (raw === undefined) return SETTINGS[name].fallback;
  const reading = SETTINGS[name].parse(raw);
  if ('value' in reading) return reading.value;
  faults.push(`${name} ${reading.fault}`);
  return SETTINGS[name].fallback;
}

/** The variable's text, or its file's without the line end; an empty variable counts as unset. */
function rawValue(name: SettingName, environment: Environment, faults: string[]): string | undefined {
  const direct = environment[name];
  const file = environment[`${name}_FILE`];
  if (direct && file) faults.push(`${name} and ${name}_FILE are both set; keep one`);
  if (direct || !file) return direct || undefined;
  try {
    const content = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    if (content === '') faults.push(`${name}_FILE names an empty file`);
    return content || undefined;
  } catch (error) {
    faults.push(`${name}_FILE cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown fault'})`);
    return undefined;
  }
}

/** Faults that lie between settings. A setting whose own value was refused reads as unset here. */
function crossFaults(config: Config, environment: Environment): string[] {
  return [
    ...modeFaults(config, environment),
    ...endUserFaults(config, environment),
    ...opsFaults(config),
    ...hirerAccessFaults(config),
    ...webhookFaults(config),
  ];
}

function modeFaults(config: Config, environment: Environment): string[] {
  if (config.playground) return [];
  const required = ['ISSUER_TOKEN_URL', 'PARTNER_CLIENT_ID', 'PARTNER_CLIENT_SECRET'] as const;
  const missing = [...required, 'USER_ID_KEY' as const, 'SEALING_KEY' as const]
    .filter((name) => !isSet(environment, name))
    .map((name) => `${name} is required outside playground mode`);
  if (isSet(environment, 'UPSTREAM_URL')) return missing;
  const signs = deploymentSigns(environment, config).join(', ');
  return [`UPSTREAM_URL is required: the playground does not start with ${signs}`, ...missing];
}

/** What tells that the service was not meant to start its playground, by name of the variable. */
function deploymentSigns(environment: Environment, values: { readonly OPS_HOST?: unknown }): string[] {
  const isProduction = environment['NODE_ENV']?.trim().toLowerCase() === 'production';
  const variables = DEPLOYMENT_SETTINGS.flatMap((name) => [name, `${name}_FILE`]);
  return [
    ...(isProduction ? ['NODE_ENV production'] : []),
    ...variables.filter((name) => environment[name]),
    ...(isLoopback(String(values.OPS_HOST)) ? [] : ['OPS_HOST off loopback']),
  ];
}

function endUserFaults(config: Config, environment: Environment): string[] {
  const sources = ['END_USER_JWKS_URL', 'END_USER_PUBLIC_KEY', 'END_USER_SECRET'] as const;
  const set = sources.filter((name) => isSet(environment, name));
  const faults: string[] = [];
  if (set.length > 1) faults.push(`${set.join(' and ')} are set; keep exactly one`);
  if (
    config.END_USER_ALGORITHMS.some((name) => name.startsWith('HS') !== isSet(environment, 'END_USER_SECRET'))
  ) {
    faults.push(
      'END_USER_ALGORITHMS does not fit the key: HS algorithms go with END_USER_SECRET and with it alone',
    );
  }
  if (config.playground) return faults;
  if (set.length === 0) faults.push(`one of ${sources.join(', ')} is required`);
  for (const name of ['END_USER_ISSUER', 'END_USER_AUDIENCE'] as const) {
    if (!isSet(environment, name)) faults.push(`${name} is required outside playground mode`);
  }
  return faults;
}

function opsFaults(config: Config): string[] {
  return isLoopback(config.OPS_HOST) || config.OPS_TOKEN !== undefined
    ? []
    : ['OPS_TOKEN is required when OPS_HOST is not loopback'];
}

function isLoopback(host: string): boolean {
  return isLoopbackHost(host) || host === '::1';
}

function hirerAccessFaults(config: Config): string[] {
  const missing = config.HIRER_ACCESS === 'http' && config.HIRER_ACCESS_URL === undefined;
  return missing ? ['HIRER_ACCESS_URL is required when HIRER_ACCESS is http'] : [];
}

/** Faults of the webhook settings among each other. */
export function webhookFaults(config: Config): string[] {
  const faults: string[] = [];
  if (!webhookSecrets(config).every(isWebhookSecret)) {
    faults.push('WEBHOOK_SECRETS must hold secrets of 16 to 255 bytes each');
  }
  if (!subscriptionSecrets(config).every(({ id, secret }) => id !== '' && isWebhookSecret(secret))) {
    faults.push('WEBHOOK_SUBSCRIPTION_SECRETS must hold id=secret pairs, secrets of 16 to 255 bytes each');
  }
  if (config.EVENT_SINK_URL && config.EVENT_SINK_SECRET === undefined) {
    faults.push('EVENT_SINK_SECRET is required when EVENT_SINK_URL is set');
  }
  if (!sinkKeys(config).every((key) => key.length >= 24 && key.length <= 64)) {
    faults.push('EVENT_SINK_SECRET must be whsec_ and base64 of 24 to 64 bytes');
  }
  return faults;
}

function isWebhookSecret(secret: string): boolean {
  const bytes = Buffer.byteLength(secret);
  return bytes >= 16 && bytes <= 255;
}

/** The webhook secrets, newest first; none when the setting is unset. */
export function webhookSecrets(config: Pick<Config, 'WEBHOOK_SECRETS'>): readonly string[] {
  return config.WEBHOOK_SECRETS?.split(',').map((secret) => secret.trim()) ?? [];
}

/** The secrets of single subscriptions, as set; a pair without `=` has an empty id. */
export function subscriptionSecrets(
  config: Pick<Config, 'WEBHOOK_SUBSCRIPTION_SECRETS'>,
): readonly { readonly id: string; readonly secret: string }[] {
  const pairs = config.WEBHOOK_SUBSCRIPTION_SECRETS?.split(',') ?? [];
  return pairs.map((pair) => {
    const at = pair.indexOf('=');
    return { id: pair.slice(0, Math.max(at, 0)).trim(), secret: pair.slice(at + 1).trim() };
  });
}

/** The keys that sign deliveries, newest first (Standard Webhooks, "Symmetric" secrets). */
export function sinkKeys(config: Pick<Config, 'EVENT_SINK_SECRET'>): readonly Buffer[] {
  const secrets = config.EVENT_SINK_SECRET?.split(',') ?? [];
  return secrets.map((secret) => Buffer.from(secret.trim().replace(/^whsec_/, ''), 'base64'));
}
