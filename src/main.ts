import 'reflect-metadata';
import type { RouteOptions } from 'fastify';
import { CONFIG_EXIT_CODE, ConfigError, loadConfig, type Config } from './config/load-config.js';
import { UNAVAILABLE_EXIT_CODE, UnavailableError } from './config/start-faults.js';
import { warnOfUnknownSettings } from './config/unknown-settings.js';
import {
  loadPlayground,
  preparePlayground,
  seedMemberships,
  subscribeToEvents,
} from './playground-environment.js';
import { introducePlayground } from './playground-introduction.js';
import { openLog } from './telemetry/log.js';
import { startService, type Service } from './service.js';

/** Loads the configuration, starts the service and stops it on a signal. Nothing else reads `process.env`. */
async function main(): Promise<void> {
  const config = loadConfig(process.env);
  const running = config.playground ? await startWithPlayground(config) : await start(config);
  let ending: Promise<void> | undefined;
  const end = (): Promise<void> => (ending ??= running.close().finally(() => process.exit(0)));
  process.on('SIGHUP', () => running.reloadSecrets());
  // not `once`: a second signal would then end the process at once, with requests under way
  process.on('SIGTERM', () => void running.drain().then(end));
  process.on('SIGINT', () => void end());
}

type Running = Pick<Service, 'reloadSecrets' | 'drain' | 'close'>;

async function start(config: Config): Promise<Running> {
  return launch(config);
}

/** Loads the playground on demand, so that a service with a real upstream does not hold its code in memory. */
async function startWithPlayground(open: Config): Promise<Running> {
  const { startPlayground, demoPageRoutes } = await loadPlayground();
  const { playground, environment } = await preparePlayground(startPlayground, open, process.env);
  const config = loadConfig(environment, true);
  const service: Service = await launch(
    config,
    demoPageRoutes(playground, () => service.opsUrl),
  );
  if (config.HIRER_ACCESS === 'database') await seedMemberships(service, playground);
  subscribeToEvents(service, playground, config);
  process.stdout.write(await introducePlayground(service, playground));
  void playground.world; // generate its data now, not during the first request
  return {
    reloadSecrets: () => service.reloadSecrets(),
    drain: () => service.drain(),
    close: async () => {
      await service.close();
      await playground.close();
    },
  };
}

async function launch(config: Config, extraRoutes?: readonly RouteOptions[]): Promise<Service> {
  const log = openLog(config);
  for (const warning of warnOfUnknownSettings(process.env)) log.warn(warning);
  return startService(config, log, extraRoutes);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(exitCodeOf(error));
});

function exitCodeOf(fault: unknown): number {
  if (fault instanceof ConfigError) return CONFIG_EXIT_CODE;
  return fault instanceof UnavailableError ? UNAVAILABLE_EXIT_CODE : 1;
}
