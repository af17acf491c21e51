import type { Setting } from './values/setting.js';
import { END_USERS } from './settings/end-users.js';
import { HIRER_ACCESS } from './settings/hirer-access.js';
import { LISTENERS } from './settings/listeners.js';
import { PROXY } from './settings/proxy.js';
import { STORAGE } from './settings/storage.js';
import { TELEMETRY } from './settings/telemetry.js';
import { UPSTREAM } from './settings/upstream.js';
import { WEBHOOKS } from './settings/webhooks.js';

/**
 * Every environment variable of the service. `docs/configuration.md` is generated from this table, and a variable that
 * is not in it is not read.
 */
export const SETTINGS = {
  ...LISTENERS,
  ...UPSTREAM,
  ...END_USERS,
  ...HIRER_ACCESS,
  ...STORAGE,
  ...WEBHOOKS,
  ...PROXY,
  ...TELEMETRY,
} as const satisfies Record<string, Setting<unknown>>;

/** Name of a setting, which is its environment variable. */
export type SettingName = keyof typeof SETTINGS;
