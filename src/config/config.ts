import { ExitFault } from '../errors/exit-fault.js';
import type { SETTINGS, SettingName } from './settings.js';

/** Every setting under its own name, validated; frozen. */
export type Config = { readonly [N in SettingName]: (typeof SETTINGS)[N]['fallback'] } & {
  /** True if the service runs against its own playground, with no account. */
  readonly playground: boolean;
  /** Files that settings were read from, by name of the setting. */
  readonly secretFiles: Readonly<Partial<Record<SettingName, string>>>;
};

/** Injection token of the validated {@link Config}. */
export const CONFIG = Symbol('CONFIG');

/** Exit code when the configuration is not valid (sysexits, EX_CONFIG). */
export const CONFIG_EXIT_CODE = 78;

/** All faults of a configuration at once. Names variables, never their values. */
export class ConfigError extends ExitFault {
  override readonly name = 'ConfigError';

  /** @param hints variables that may be misspelt: often what is missing */
  constructor(
    readonly faults: readonly string[],
    readonly hints: readonly string[] = [],
  ) {
    const lines = [...faults, ...hints].map((fault) => `  - ${fault}`);
    const text = ['The configuration is not valid:', ...lines, 'See docs/configuration.md.'];
    super(text.join('\n'), CONFIG_EXIT_CODE);
  }
}
