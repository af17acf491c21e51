import { setTimeout as delay } from 'node:timers/promises';

const STEP_MS = 5;
const PATIENCE_MS = 60_000; // for a busy machine

/** Waits for an effect that comes by itself, and fails when it has not come in `patienceMs`. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const end = Date.now() + patienceMs;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error('the effect did not come');
    await delay(STEP_MS);
  }
}
