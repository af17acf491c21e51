import { readText, type Environment } from './load-config.js';
import type { Reading, Setting } from './values/setting.js';
import { SETTINGS, type SettingName } from './settings.js';

/** A setting as it is in effect. Holds no secret. */
export interface EffectiveSetting {
  readonly name: SettingName;
  /** `set` where it is a secret; else its text, without the credentials and query of a URL. The default's where unset. */
  readonly value: string;
  readonly source: 'environment' | 'file' | 'default';
}

/** Defaults that playground mode has of its own. */
export const PLAYGROUND_DEFAULTS = { HOST: '127.0.0.1', LOG_FORMAT: 'pretty' } as const;

/**
 * Every setting in effect, in the order of the table.
 * @param playground whether the service would start its playground
 */
export function effectiveSettings(environment: Environment, playground: boolean): EffectiveSetting[] {
  const own: Environment = playground ? PLAYGROUND_DEFAULTS : {};
  return (Object.keys(SETTINGS) as SettingName[]).map((name) => {
    const text = readText(name, environment, []);
    if (text === undefined) return { name, value: own[name] ?? defaultOf(name), source: 'default' };
    return { name, value: shown(name, text), source: environment[name] ? 'environment' : 'file' };
  });
}

/** A plain value as it is; the documentation's words for one that is absent or made at the start. */
function defaultOf(name: SettingName): string {
  const { fallback, fallbackText }: Setting<unknown> = SETTINGS[name];
  return typeof fallback === 'string' ? fallback : fallbackText;
}

function shown(name: SettingName, text: string): string {
  if (SETTINGS[name].secret) return 'set';
  const reading: Reading<unknown> = SETTINGS[name].parse(text);
  if ('value' in reading && reading.value instanceof URL) return withoutCredentials(reading.value, text);
  return /:\/\/.*@/.test(text) ? '…' : text;
}

/**
 * Passwords stand before the host of a URL, or in its query. One with a slash or a number sign in it may be taken for a
 * port and a path.
 */
function withoutCredentials({ protocol, host, pathname, search, username, password }: URL, text: string) {
  if (username + password + search === '') return text.includes('@') ? '…' : text;
  return `${protocol}//${username + password && '…@'}${host}${pathname}${search && '?…'}`;
}
