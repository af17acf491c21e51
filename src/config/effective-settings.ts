import { isSet, readText, withPlaygroundDefaults, type Environment } from './read-setting.js';
import type { Reading, Setting } from './values/setting.js';
import { SETTINGS, type SettingName } from './settings.js';

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
export function isDefault({ name, value, source }: EffectiveSetting): boolean {
  return source === 'default' && value === defaultOf(name);
}

/**
 * Every setting in effect, in the order of the table.
 * @param playground whether the service would start its playground
 */
export function effectiveSettings(environment: Environment, playground: boolean): EffectiveSetting[] {
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
