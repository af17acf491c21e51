import { setImmediate as turn } from 'node:timers/promises';

/** Work in steps, between which others may run; what it returns is its result. */
export type Steps<T> = Generator<void, T>;

/** Runs all steps at once. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Runs the steps with a turn of the event loop between them. */
export async function runStepsInTurns<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await turn();
  }
}
