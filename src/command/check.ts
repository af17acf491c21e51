import { effectiveSettings, isDefault } from '../config/effective-settings.js';
import { startWarnings } from '../config/faults/start-warnings.js';
import { loadConfig } from '../config/load-config.js';
import { RoleScopes } from '../hirer-access/role-scopes.js';
import { openOperations } from '../operations/registered-operations.js';
import { openLog } from '../telemetry/log.js';
import type { Run } from './command.js';
import { FLAG, readArguments } from './read-arguments.js';

/**
 * `check`: the settings that are set or differ from their defaults, or all in effect, without any secret.
 * @throws ConfigError with every fault of the settings, or of the operations that they name
 */
export const check: Run = async (argv, environment, { print, warn }) => {
  const { values } = readArguments('check', argv, { options: { json: FLAG, all: FLAG } });
  const config = loadConfig(environment);
  // read as a start reads them; what it only logs is not of the settings
  openOperations(
    config,
    new RoleScopes(config),
    openLog({ LOG_LEVEL: 'silent' }, { write: () => undefined }),
  );
  const { playground } = config;
  if (playground) await (await import('../playground-mode/environment.js')).loadPlayground();
  const all = effectiveSettings(environment, playground);
  const settings = all.filter((setting) => values.all || !isDefault(setting));
  if (values.json) {
    print(JSON.stringify({ mode: playground ? 'playground' : 'deployment', settings }, null, 2));
  } else {
    for (const { name, value, source } of settings) {
      print(`${name}=${value}${source === 'environment' ? '' : `  (${source})`}`);
    }
    if (playground) print('The service would start its playground: UPSTREAM_URL is not set.');
    const others = all.length - settings.length;
    print(
      `The settings are valid.${others > 0 ? ` --all prints the ${others} at their defaults, too.` : ''}`,
    );
  }
  for (const warning of startWarnings(config, environment)) warn(warning);
  return 0;
};
