const RUNS = 3;

/**
 * Processor time of this thread in its longest turn of the event loop, in milliseconds, while `work` runs. Other
 * processes that want the processor do not lengthen it. The least of up to three runs counts: what only some of them pay
 * for, such as the garbage of earlier tests, is not the cost of the work.
 * @param boundMs one run below it is enough
 */
export async function longestTurnMs(boundMs: number, work: () => Promise<unknown>): Promise<number> {
  let least = Infinity;
  for (let run = 0; run < RUNS && least >= boundMs; run += 1) least = Math.min(least, await measure(work));
  return least;
}

async function measure(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = process.threadCpuUsage();
  let sampling: NodeJS.Immediate;
  const sample = (): void => {
    const now = process.threadCpuUsage();
    longest = Math.max(longest, (now.user - last.user + now.system - last.system) / 1_000);
    last = now;
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
