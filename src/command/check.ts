import { startWarnings } from '../config/faults/start-warnings.js';
import { loadConfig, type Environment } from '../config/load-config.js';
import { isSet, readText, withPlaygroundDefaults } from '../config/read-setting.js';
import { SETTINGS, type SettingName } from '../config/settings.js';
import type { Reading, Setting } from '../config/values/setting.js';
import { RoleScopes } from '../hirer-access/role-scopes.js';
import { openOperations } from '../operations/registered-operations.js';
import { openLog } from '../telemetry/log.js';
import type { Run } from './command.js';
import { FLAG, readArguments } from './read-arguments.js';

/**
 * `check`: the settings that are set or differ from their defaults, or all in effect, without any secret.
 * @throws ConfigError with every fault of the settings, or of the operations that they name
 */
export const check: Run = async (argv, environment, { print, warn }) => {
  const { values } = readArguments('check', argv, { options: { json: FLAG, all: FLAG } });
  const config = loadConfig(environment);
  // read as a start reads them; what it only logs is not of the settings
  openOperations(
    config,
    new RoleScopes(config),
    openLog({ LOG_LEVEL: 'silent' }, { write: () => undefined }),
  );
  const { playground } = config;
  if (playground) await (await import('../playground-mode/environment.js')).loadPlayground();
  const all = effectiveSettings(environment, playground);
  const settings = all.filter((setting) => values.all || !isDefault(setting));
  if (values.json) {
    print(JSON.stringify({ mode: playground ? 'playground' : 'deployment', settings }, null, 2));
  } else {
    for (const { name, value, source } of settings) {
      print(`${name}=${value}${source === 'environment' ? '' : `  (${source})`}`);
    }
    if (playground) print('The service would start its playground: UPSTREAM_URL is not set.');
    const others = all.length - settings.length;
    print(
      `The settings are valid.${others > 0 ? ` --all prints the ${others} at their defaults, too.` : ''}`,
    );
  }
  for (const warning of startWarnings(config, environment)) warn(warning);
  return 0;
};

/** A setting as it is in effect. Holds no secret. */
interface EffectiveSetting {
  readonly name: SettingName;
  /**
   * `set` where it is a secret; else its text, without the credentials and query of a URL. The default's where unset,
   * which is another in a playground for some.
   */
  readonly value: string;
  readonly source: 'environment' | 'file' | 'default';
}

/** True if a setting is at its default, one that only a playground has aside. */
function isDefault({ name, value, source }: EffectiveSetting): boolean {
  return source === 'default' && value === defaultOf(name);
}

/**
 * Every setting in effect, in the order of the table.
 * @param playground whether the service would start its playground
 */
function effectiveSettings(environment: Environment, playground: boolean): EffectiveSetting[] {
  const effective = playground ? withPlaygroundDefaults(environment) : environment;
  return (Object.keys(SETTINGS) as SettingName[]).map((name) => {
    const text = readText(name, effective, []);
    const isGiven = isSet(environment, name) && effective[name] === environment[name];
    const source = environment[name] ? 'environment' : 'file';
    const value = text === undefined ? defaultOf(name) : shown(name, text);
    return { name, value, source: isGiven ? source : 'default' };
  });
}

/** A plain value as it is; the documentation's words for one that is absent or made at the start. */
function defaultOf(name: SettingName): string {
  const { fallback, fallbackText }: Setting<unknown> = SETTINGS[name];
  return typeof fallback === 'string' ? fallback : fallbackText;
}

/** Passwords stand before the host of a URL, or in its query; one with a slash may be taken for a port and a path. */
function shown(name: SettingName, text: string): string {
  if (SETTINGS[name].secret) return 'set';
  const reading: Reading<unknown> = SETTINGS[name].parse(text);
  const url = 'value' in reading && reading.value instanceof URL ? reading.value : undefined;
  if (url === undefined) return /:\/\/.*@/.test(text) ? '…' : text;
  const { protocol, host, pathname, search, username, password } = url;
  if (username + password + search === '') return text.includes('@') ? '…' : text;
  return `${protocol}//${username + password && '…@'}${host}${pathname}${search && '?…'}`;
}
