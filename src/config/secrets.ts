import { webhookFaults, readSetting, type Config } from './load-config.js';
import type { SettingName } from './settings.js';

/** The settings that take a new value while the service runs, when they come from a file (`<NAME>_FILE`). */
export const RELOADABLE = [
  'OPS_TOKEN',
  'PARTNER_CLIENT_SECRET',
  'END_USER_PUBLIC_KEY',
  'END_USER_SECRET',
  'SEALING_KEY',
  'HIRER_ACCESS_SECRET',
  'WEBHOOK_SECRETS',
  'WEBHOOK_SUBSCRIPTION_SECRETS',
  'EVENT_SINK_SECRET',
] as const satisfies readonly SettingName[];

/** Name of a setting that can change. */
export type SecretName = (typeof RELOADABLE)[number];

/** The values in force, of one moment. */
export type SecretValues = Readonly<Pick<Config, SecretName>>;

/** What a reload came to. Names settings, never their values. */
export interface ReloadReport {
  readonly changed: readonly SecretName[];
  /** The old value stays in force. */
  readonly refused: readonly { readonly name: SecretName; readonly fault: string }[];
}

/**
 * The secrets, which can be rotated without a restart. A module that needs one reads {@link current} at each use and keeps no
 * copy; what is derived from a value and dear to make is made anew in {@link onChange}.
 */
export class Secrets {
  private values: SecretValues;
  private readonly listeners = new Map<SecretName, ((values: SecretValues) => void)[]>();

  constructor(private readonly config: Config) {
    this.values = config;
  }

  /** The values in force now. */
  get current(): SecretValues {
    return this.values;
  }

  /** Called with a new value before it takes effect; throwing rejects it. */
  onChange(name: SecretName, listener: (values: SecretValues) => void): void {
    this.listeners.set(name, [...(this.listeners.get(name) ?? []), listener]);
  }

  /** Reads every file again. A value that is no good is refused, each by itself, and the old one stays. */
  reload(): ReloadReport {
    const changed: SecretName[] = [];
    const refused: { name: SecretName; fault: string }[] = [];
    for (const name of RELOADABLE) {
      const file = this.config.secretFiles[name];
      if (file === undefined) continue;
      const faults: string[] = [];
      const value = readSetting(name, { [`${name}_FILE`]: file }, faults);
      if (faults.length === 0 && isSame(value, this.values[name])) continue;
      const fault = faults[0] ?? this.accept({ ...this.values, [name]: value }, name);
      if (fault === undefined) changed.push(name);
      else refused.push({ name, fault });
    }
    return { changed, refused };
  }

  /** Puts the values in force, or tells why not. */
  private accept(values: SecretValues, name: SecretName): string | undefined {
    try {
      const [fault] = webhookFaults({ ...this.config, ...values });
      if (fault !== undefined) return fault;
      for (const listener of this.listeners.get(name) ?? []) listener(values);
    } catch (error) {
      return error instanceof Error ? error.message : 'cannot be used';
    }
    this.values = values;
    return undefined;
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
