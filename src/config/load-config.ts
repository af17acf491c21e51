import { ConfigError, type Config } from './config.js';
import { crossFaults, deploymentSigns } from './faults/cross-faults.js';
import { warnOfUnknownSettings } from './faults/start-warnings.js';
import {
  fileVariable,
  isSet,
  readSetting,
  readText,
  withPlaygroundDefaults,
  type Environment,
} from './read-setting.js';
import { SETTINGS, type SettingName } from './settings.js';

export { CONFIG, CONFIG_EXIT_CODE, ConfigError, type Config } from './config.js';
export { readSetting, readText, type Environment };

/**
 * Reads and checks the whole environment.
 * @param playground whether the values for upstream and end users come from the playground; by default, whether
 *   `UPSTREAM_URL` is unset and nothing shows a real deployment
 * @throws ConfigError with every fault
 */
export function loadConfig(environment: Environment, playground?: boolean): Config {
  const faults: string[] = [];
  const isPlayground =
    playground ?? (!isSet(environment, 'UPSTREAM_URL') && deploymentSigns(environment).length === 0);
  const effective = isPlayground ? withPlaygroundDefaults(environment) : environment;
  const values: Record<string, unknown> = { secretFiles: filesOf(environment), playground: isPlayground };
  for (const name of Object.keys(SETTINGS) as SettingName[]) {
    values[name] = readSetting(name, effective, faults);
  }
  const config = Object.freeze(values) as Config;
  faults.push(...crossFaults(config, environment));
  if (faults.length > 0) throw new ConfigError(faults, warnOfUnknownSettings(environment));
  return config;
}

/**
 * Some settings of an environment, by themselves.
 * @throws ConfigError with every fault
 */
export function readSettings<Name extends SettingName>(
  names: readonly Name[],
  environment: Environment,
): Pick<Config, Name> {
  const faults: string[] = [];
  const values = names.map((name) => [name, readSetting(name, environment, faults)] as const);
  if (faults.length > 0) throw new ConfigError(faults);
  return Object.fromEntries(values) as unknown as Pick<Config, Name>;
}

function filesOf(environment: Environment): Record<string, string | undefined> {
  const files = Object.keys(SETTINGS).map((name) => [name, environment[fileVariable(name)]] as const);
  return Object.fromEntries(files.filter(([, file]) => file));
}
