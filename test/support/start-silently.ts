import { loadConfig, type Environment } from '../../src/config/load-config.js';
import { startService, type Service } from '../../src/service.js';
import { openLog } from '../../src/telemetry/log.js';

/** Starts a service without a log in this process, for a playground that runs. */
export function startSilently(environment: Environment): Promise<Service> {
  const config = loadConfig(environment);
  return startService(config, openLog({ ...config, LOG_LEVEL: 'silent' }, { write: () => undefined }));
}
