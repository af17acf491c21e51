import { loadConfig } from '../../src/config/load-config.js';
import { startService, type Service } from '../../src/service.js';
import { openLog } from '../../src/telemetry/log.js';
import type { Stack } from './start-stack.js';

/** Starts the service of a stack again on its ports, after its end. What it knew is in its `DATA_DIR`. */
export function startAgain({ environment, url, opsUrl }: Stack): Promise<Service> {
  const ports = { PORT: new URL(url).port, OPS_PORT: new URL(opsUrl).port };
  const config = loadConfig({ ...environment, ...ports });
  return startService(config, openLog({ ...config, LOG_LEVEL: 'silent' }));
}
