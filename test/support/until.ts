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

const RUNS = 3;
/** What one request may hold the event loop for, in milliseconds of processor time. */
const TURN_MS = 50;
/** The machine that keeps `TURN_MS` parses a megabyte of small objects in ten milliseconds. */
const MEGABYTE = `[${'{"x":1},'.repeat(125_000)}1]`;
const PARSED_IN_MS = 10;

/**
 * Expects that no turn of the event loop takes more than 50 ms of this thread's processor time while `work` runs, or on a
 * slower machine as much more as that is slower. Other processes that want the processor do not lengthen a turn. The
 * least of up to three runs counts: what only some of them pay for, such as the garbage of earlier tests, is not the cost
 * of the work.
 */
export async function expectShortTurns(work: () => Promise<unknown>, slowerBy = slowness): Promise<void> {
  let least = Infinity;
  for (let run = 0; run < RUNS && least >= TURN_MS; run += 1) least = Math.min(least, await measure(work));
  if (least >= TURN_MS) expect(least).toBeLessThan(TURN_MS * slowerBy());
}

/**
 * How many times longer than on the machine of the bounds the processor takes, at least 1.
 * @param text which that machine parses in so many milliseconds
 */
export function slowness(text = MEGABYTE, parsedInMs = PARSED_IN_MS): number {
  const before = process.threadCpuUsage();
  JSON.parse(text);
  return Math.max(1, millisecondsSince(before) / parsedInMs);
}

async function measure(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = process.threadCpuUsage();
  let sampling: NodeJS.Immediate;
  const sample = (): void => {
    longest = Math.max(longest, millisecondsSince(last));
    last = process.threadCpuUsage();
    sampling = setImmediate(sample);
  };
  sampling = setImmediate(sample);
  try {
    await work();
    await new Promise(setImmediate); // the turn in which it ended
  } finally {
    clearImmediate(sampling);
  }
  return longest;
}

function millisecondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
