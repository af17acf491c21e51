import { effectiveSettings } from '../config/effective-settings.js';
import { warnOfUnknownSettings } from '../config/faults/unknown-settings.js';
import { loadConfig, type Environment } from '../config/load-config.js';
import { Misuse, type Output } from '../ops/subscriptions/command-context.js';
import { FLAG, readArguments } from './read-arguments.js';
import { CHECK_USAGE } from './usage.js';

/**
 * `check`: the settings in effect, without any secret.
 * @throws ConfigError with every fault
 */
export async function check(
  argv: readonly string[],
  environment: Environment,
  { print, warn }: Output,
): Promise<number> {
  const { values, positionals } = readArguments(argv, CHECK_USAGE, { json: FLAG });
  if (positionals.length > 0) throw new Misuse(CHECK_USAGE);
  const { playground } = loadConfig(environment);
  const settings = effectiveSettings(environment, playground);
  if (values.json) {
    print(JSON.stringify({ mode: playground ? 'playground' : 'deployment', settings }, null, 2));
  } else {
    for (const { name, value, source } of settings) {
      print(`${name}=${value}${source === 'environment' ? '' : `  (${source})`}`);
    }
    if (playground) print('The service would start its playground: UPSTREAM_URL is not set.');
  }
  for (const warning of warnOfUnknownSettings(environment)) warn(warning);
  return 0;
}
