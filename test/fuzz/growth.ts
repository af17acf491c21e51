import fc from 'fast-check';

/** A text that repeats a part of itself so many times. */
type Pump = (times: number) => string;

const TIMES = 500;
/** Far more than four: beyond some 100 KiB a text takes its memory in another way, three to four times as slow. */
const FACTOR = 64;
const GROWTH_MAX = 512; // as far from linear (64) as from quadratic (4,096)
const FAST_MS = 20;
const SHORTEST_MS = 0.1;
const REPEATS = 8;
/** Of the same: the least counts, since whatever else the machine does only adds. */
const READINGS = 4;

/** Hostile texts made of a grammar's own pieces: some, then some of them over and over, then some more. */
function pumpOf(pieces: readonly string[]): fc.Arbitrary<Pump> {
  const some = (minLength: number) =>
    fc.array(fc.constantFrom(...pieces), { minLength, maxLength: 3 }).map((chosen) => chosen.join(''));
  return fc.tuple(some(0), some(1), some(0)).map(([prefix, unit, suffix]) => {
    const pump: Pump = (times) => prefix + unit.repeat(times) + suffix;
    return Object.assign(pump, { [fc.toStringMethod]: () => JSON.stringify([prefix, unit, suffix]) });
  });
}

/** A property: so many times the text takes the parser nowhere near the square of them. */
export function growsLinearly(pieces: readonly string[], parse: (text: string) => unknown) {
  return fc.property(pumpOf(pieces), (pump) => {
    const [small, large] = [pump(TIMES), pump(TIMES * FACTOR)];
    if (millisecondsOf(parse, large) < FAST_MS) return;
    const smallMs = Math.max(SHORTEST_MS, ownMillisecondsOf(parse, small, REPEATS * FACTOR));
    expect(ownMillisecondsOf(parse, large, REPEATS) / smallMs).toBeLessThan(GROWTH_MAX);
  });
}

function millisecondsOf(parse: (text: string) => unknown, text: string): number {
  const before = performance.now();
  tryToRead(parse, text);
  return performance.now() - before;
}

/**
 * Processor time of one reading of several, which is counted in steps of milliseconds; without that of the system, as the
 * memory of a large text comes from it page by page.
 */
function ownMillisecondsOf(parse: (text: string) => unknown, text: string, repeats: number): number {
  const each = repeats / READINGS;
  const readings = Array.from({ length: READINGS }, () => {
    const before = process.threadCpuUsage();
    for (let repeat = 0; repeat < each; repeat += 1) tryToRead(parse, text);
    return process.threadCpuUsage(before).user / 1_000 / each;
  });
  return Math.min(...readings);
}

/** Refusing is as good as reading: what may be thrown is the business of other properties. */
function tryToRead(parse: (text: string) => unknown, text: string): void {
  try {
    parse(text);
  } catch {
    // measured all the same
  }
}
