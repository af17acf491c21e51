import { CONFIG_EXIT_CODE, type Environment } from '../config/load-config.js';
import { CommandFault } from './command.js';
import { readArguments } from './read-arguments.js';

const INSTALL =
  'The playground is a separate package, which is not installed here and not on a registry. In a clone, "npm run playground" starts it, and "npm pack --workspace=playground" makes a tarball that you can install here.';
const REAL_UPSTREAM =
  'UPSTREAM_URL is set, and the playground would replace that upstream. Unset it, or use "start".';

/** `start`: the service. Ends the process itself when the start fails, and on a signal. */
export async function start(argv: readonly string[], environment: Environment): Promise<undefined> {
  readArguments('start', argv, {});
  await (await import('../run.js')).run(environment);
}

/**
 * `playground`: the service in playground mode. It is asked for by name, so `NODE_ENV`, which an image sets, is no
 * obstacle; the settings of a deployment are.
 */
export async function playground(argv: readonly string[], environment: Environment): Promise<undefined> {
  readArguments('playground', argv, {});
  const { UPSTREAM_URL, UPSTREAM_URL_FILE, ...others } = environment;
  if (UPSTREAM_URL || UPSTREAM_URL_FILE) throw new CommandFault(REAL_UPSTREAM, CONFIG_EXIT_CODE);
  const { loadPlayground } = await import('../playground-mode/environment.js');
  await loadPlayground().catch((error: Error) => {
    throw error.name === 'ConfigError' ? new CommandFault(INSTALL) : error;
  });
  const { run } = await import('../run.js');
  await run({ ...others, NODE_ENV: undefined });
}
