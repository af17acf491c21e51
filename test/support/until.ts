import { setTimeout as delay } from 'node:timers/promises';

const STEP_MS = 5;

/** Waits for an effect that comes by itself; the test's own time limit ends the wait. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await delay(STEP_MS);
}
