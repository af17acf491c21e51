import 'reflect-metadata';
import type { RouteOptions } from 'fastify';
import { CONFIG_EXIT_CODE, ConfigError, loadConfig, type Config } from './config/load-config.js';
import { warnOfUnknownSettings } from './config/unknown-settings.js';
import { openLog } from './ops/log.js';
import { demoPageRoutes } from './playground/demo-page/demo-page-routes.js';
import { preparePlayground, seedMemberships } from './playground-environment.js';
import { introducePlayground } from './playground-introduction.js';
import { startService, type Service } from './service.js';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Loads the configuration, starts what it asks for, and stops it on a signal. The one reader of `process.env`. */
async function main(): Promise<void> {
  const config = loadConfig(process.env);
  const stop = config.playground ? await startWithPlayground(config) : await start(config);
  for (const signal of STOP_SIGNALS) process.once(signal, () => void stop().then(() => process.exit(0)));
}

async function start(config: Config): Promise<() => Promise<void>> {
  const service = await launch(config);
  return () => service.close();
}

async function startWithPlayground(open: Config): Promise<() => Promise<void>> {
  const { playground, environment } = await preparePlayground(open, process.env);
  const config = loadConfig(environment, true);
  const service: Service = await launch(
    config,
    demoPageRoutes(playground, () => service.opsUrl),
  );
  if (config.HIRER_ACCESS === 'database') await seedMemberships(service, playground);
  process.stdout.write(await introducePlayground(service, playground));
  return async () => {
    await service.close();
    await playground.close();
  };
}

async function launch(config: Config, extraRoutes?: readonly RouteOptions[]): Promise<Service> {
  const log = openLog(config);
  for (const warning of warnOfUnknownSettings(process.env)) log.warn(warning);
  return startService(config, log, extraRoutes);
}

main().catch((fault: unknown) => {
  process.stderr.write(`${fault instanceof Error ? fault.message : String(fault)}\n`);
  process.exit(fault instanceof ConfigError ? CONFIG_EXIT_CODE : 1);
});
