import { readText, type Environment } from './load-config.js';
import type { Reading } from './setting.js';
import { SETTINGS, type SettingName } from './settings.js';

/** A setting as it is in effect. Holds no secret. */
export interface EffectiveSetting {
  readonly name: SettingName;
  /** `set` where it is a secret; else its text, without the credentials and query of a URL. The default's where unset. */
  readonly value: string;
  readonly source: 'environment' | 'file' | 'default';
}

/** Every setting in effect, in the order of the table. */
export function effectiveSettings(environment: Environment): EffectiveSetting[] {
  return (Object.keys(SETTINGS) as SettingName[]).map((name) => {
    const text = readText(name, environment, []);
    if (text === undefined) return { name, value: SETTINGS[name].fallbackText, source: 'default' };
    return { name, value: shown(name, text), source: environment[name] ? 'environment' : 'file' };
  });
}

function shown(name: SettingName, text: string): string {
  if (SETTINGS[name].secret) return 'set';
  const reading: Reading<unknown> = SETTINGS[name].parse(text);
  if ('value' in reading && reading.value instanceof URL) return withoutCredentials(reading.value, text);
  return /:\/\/.*@/.test(text) ? '…' : text;
}

/** Passwords stand before the host of a URL, or in its query. */
function withoutCredentials({ protocol, host, pathname, search, username, password }: URL, text: string) {
  if (username + password + search === '') return text;
  return `${protocol}//${username + password && '…@'}${host}${pathname}${search && '?…'}`;
}
