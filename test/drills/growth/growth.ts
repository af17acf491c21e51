/** Characters of the smaller text; the larger has four times as many. */
const CHARACTERS = 5_000;
const RUNS = 3;
/** Four times the text: linear work takes 4 times as long, quadratic work 16 times. */
const RATIO_MAX = 8;
/**
 * Work that is too short to be measured grows by chance; quadratic work on the larger text takes several times as long.
 */
const UNMEASURABLE_MS = 40;

/** True if `work` takes time linear in the length of its text: by the processor time of this thread, best of three. */
export function growsLinearly(
  work: (text: string) => unknown,
  textOf: (characters: number) => string,
): boolean {
  const larger = leastMs(work, textOf(4 * CHARACTERS));
  return larger < UNMEASURABLE_MS || larger < RATIO_MAX * leastMs(work, textOf(CHARACTERS));
}

/** Processor time of the quickest of `runs` runs, which others on the machine disturbed least. */
export function leastMs(work: (text: string) => unknown, text: string, runs = RUNS): number {
  let least = Infinity;
  for (let run = 0; run < runs; run += 1) {
    const before = process.threadCpuUsage();
    work(text);
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}
