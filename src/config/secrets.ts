import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from './config.js';
import { publicKeyFaults } from './faults/cross-faults.js';
import { fileVariable, readSetting } from './read-setting.js';
import type { SettingName } from './settings.js';

/** The settings that take a new value while the service runs, when they come from a file. */
export const RELOADABLE = [
  'OPS_TOKEN',
  'PARTNER_CLIENT_SECRET',
  'END_USER_PUBLIC_KEY',
  'END_USER_SECRET',
  'SEALING_KEY',
  'HIRER_ACCESS_SECRET',
  'WEBHOOK_SECRETS',
  'EVENT_SINK_SECRET',
  'EVENT_SINKS_FILE',
] as const satisfies readonly SettingName[];

type SecretName = (typeof RELOADABLE)[number];

/** The values in force, of one moment. */
export type SecretValues = Readonly<Pick<Config, SecretName>>;

/** The result of a reload. Names settings, never their values. */
export interface ReloadReport {
  readonly changed: readonly SecretName[];
  /** These keep their previous value. */
  readonly refused: readonly { readonly name: SecretName; readonly fault: string }[];
}

/**
 * The secrets, which can be rotated without a restart. A module that needs one reads {@link current} at each use and
 * keeps no copy; what is expensive to derive from a value is derived again in {@link onChange}.
 */
@Injectable()
export class Secrets {
  /** Replaced as a whole, by {@link reload} alone. */
  current: SecretValues;
  private readonly listeners = new Map<SecretName, ((values: SecretValues) => void)[]>();

  constructor(@Inject(CONFIG) private readonly config: Config) {
    this.current = config;
  }

  /** Called with a new value before it takes effect; throwing rejects it. */
  onChange(name: SecretName, listener: (values: SecretValues) => void): void {
    this.listeners.set(name, [...(this.listeners.get(name) ?? []), listener]);
  }

  /** Reads every file again, as at start. An invalid value is refused and the previous one stays, for each setting. */
  reload(): ReloadReport {
    const changed: SecretName[] = [];
    const refused: { name: SecretName; fault: string }[] = [];
    for (const name of RELOADABLE) {
      const file = this.config.secretFiles[name];
      if (file === undefined) continue;
      const faults: string[] = [];
      const value = readSetting(name, { [fileVariable(name)]: file }, faults);
      if (faults.length === 0 && isDeepStrictEqual(value, this.current[name])) continue;
      const fault = faults[0] ?? this.accept({ ...this.current, [name]: value }, name);
      if (fault === undefined) changed.push(name);
      else refused.push({ name, fault });
    }
    return { changed, refused };
  }

  private accept(values: SecretValues, name: SecretName): string | undefined {
    const [fault] = name === 'END_USER_PUBLIC_KEY' ? publicKeyFaults({ ...this.config, ...values }) : [];
    if (fault !== undefined) return fault;
    try {
      for (const listener of this.listeners.get(name) ?? []) listener(values);
    } catch (error) {
      return error instanceof Error ? error.message : `${name} cannot be used`;
    }
    this.current = values;
    return undefined;
  }
}
