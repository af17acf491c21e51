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
