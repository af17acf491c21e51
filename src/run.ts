import 'reflect-metadata';
import type { RouteOptions } from 'fastify';
import { loadConfig, type Config, type Environment } from './config/load-config.js';
import { refuseTakenPorts } from './config/faults/start-faults.js';
import { startWarnings } from './config/faults/start-warnings.js';
import { exitCodeOf, explain } from './errors/exit-fault.js';
import { joinPlayground, loadPlayground, preparePlayground } from './playground-mode/environment.js';
import { introducePlayground } from './playground-mode/introduction.js';
import { openLog } from './telemetry/log.js';
import { startService, type Service } from './service.js';

/**
 * Runs the service: loads the configuration, starts, and stops on a signal. Ends the process with a message when the
 * start fails: code 78 for a setting, 69 for what cannot be reached.
 * @param environment the environment of the process; nothing else reads it
 */
export async function run(environment: Environment): Promise<void> {
  let service: Service | undefined;
  stopOnSignal(() => service);
  try {
    service = await start(environment);
  } catch (error) {
    process.stderr.write(`${explain(error, 'The service cannot start')}\n`);
    process.exit(exitCodeOf(error));
  }
}

async function start(environment: Environment): Promise<Service> {
  const config = loadConfig(environment);
  await refuseTakenPorts(config);
  return config.playground ? startWithPlayground(config, environment) : launch(config, environment);
}

/** A service that is still starting has no requests to finish, so it exits immediately. */
function stopOnSignal(running: () => Service | undefined): void {
  const drain = async (): Promise<void> => running()?.drain();
  const end = async (): Promise<void> => {
    await running()?.close();
    process.exit(0);
  };
  process.on('SIGHUP', () => running()?.reloadSecrets());
  // not `once`: a second signal would then end the process at once, with requests under way
  process.on('SIGTERM', () => void drain().then(end));
  process.on('SIGINT', () => void end());
}

/** Loads the playground on demand, so that a service with a real upstream does not hold its code in memory. */
async function startWithPlayground(open: Config, given: Environment): Promise<Service> {
  const { startPlayground, demoPageRoutes } = await loadPlayground();
  const { playground, environment } = await preparePlayground(startPlayground, open, given);
  const config = loadConfig(environment, true);
  const routes = demoPageRoutes(playground, () => service.opsUrl);
  const service: Service = await launch(config, given, routes);
  await joinPlayground(service, playground, config);
  process.stdout.write(await introducePlayground(service, playground));
  void playground.world; // generate its data now, not during the first request
  return service;
}

/** @param demoRoutes of the playground's demo page */
async function launch(
  config: Config,
  environment: Environment,
  demoRoutes?: readonly RouteOptions[],
): Promise<Service> {
  const log = openLog(config);
  for (const warning of startWarnings(config, environment)) log.warn(warning);
  return startService(config, log, demoRoutes);
}
