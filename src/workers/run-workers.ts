import cluster from 'node:cluster';
import { randomUUID } from 'node:crypto';
import inspector from 'node:inspector';
import { availableParallelism } from 'node:os';
import { startWarnings } from '../config/faults/start-warnings.js';
import { loadConfig, type Config, type Environment } from '../config/load-config.js';
import { openLog, openOutput } from '../telemetry/log.js';
import { WORKER_VARIABLE } from './messages.js';
import { Primary } from './primary.js';
import { closeUntaken } from './untaken-connection.js';

/** How many processes the setting means. */
export function countOf(workers: Config['WORKERS']): number {
  return workers === 'auto' ? availableParallelism() : workers;
}

/**
 * Runs the service as several processes: this one, which only starts and stops the others, and the workers. Ends the
 * process, with the exit codes of a service that is one process.
 * @throws ConfigError
 */
export async function runWorkers(environment: Environment): Promise<never> {
  const running: { primary?: Primary } = {};
  const stop = (signal: 'SIGTERM' | 'SIGINT') =>
    running.primary ? running.primary.stop(signal) : process.exit(0);
  process.on('SIGTERM', stop).on('SIGINT', stop);
  process.on('SIGHUP', () => running.primary?.reload());
  const config = loadConfig(environment);
  const count = countOf(config.WORKERS);
  const startId = randomUUID();
  const log = openLog(config, await openOutput(config.LOG_FORMAT));
  for (const warning of startWarnings(config, environment)) log.warn(warning);
  cluster.setupPrimary({ serialization: 'advanced' }); // metrics hold NaN, which JSON has not
  running.primary = new Primary({
    count,
    config,
    log,
    isDebugged: inspector.url() !== undefined,
    fork: (number) => closeUntaken(cluster.fork({ [WORKER_VARIABLE]: `${number}/${count}/${startId}` })),
    print: (message) => void process.stderr.write(`${message}\n`),
  });
  const exitCode = await running.primary.run();
  log.info('stopped');
  process.exit(exitCode);
}
