import type { Service } from '../../src/service.js';
import { startSilently } from './start-silently.js';
import type { Stack } from './start-stack.js';

/** Starts the service of a stack again on its ports, after its end. What it knew is in its `DATA_DIR`. */
export function startAgain({ environment, url, opsUrl }: Stack): Promise<Service> {
  return startSilently({ ...environment, PORT: new URL(url).port, OPS_PORT: new URL(opsUrl).port });
}
