import fc from 'fast-check';

/** A text that repeats a part of itself so many times. */
type Pump = (times: number) => string;

const TIMES = 500;
const FACTOR = 16;
const GROWTH_MAX = 64; // as far from linear (16) as from quadratic (256)
const FAST_MS = 5;
const SHORTEST_MS = 0.1;
const REPEATS = 16;

/** Hostile texts made of a grammar's own pieces: some, then some of them over and over, then some more. */
function pumpOf(pieces: readonly string[]): fc.Arbitrary<Pump> {
  const some = (minLength: number) =>
    fc.array(fc.constantFrom(...pieces), { minLength, maxLength: 3 }).map((chosen) => chosen.join(''));
  return fc.tuple(some(0), some(1), some(0)).map(([prefix, unit, suffix]) => {
    const pump: Pump = (times) => prefix + unit.repeat(times) + suffix;
    return Object.assign(pump, { [fc.toStringMethod]: () => JSON.stringify([prefix, unit, suffix]) });
  });
}

/** A property: sixteen times the text takes the parser nowhere near the square of it, which would be 256 times as long. */
export function growsLinearly(pieces: readonly string[], parse: (text: string) => unknown) {
  return fc.property(pumpOf(pieces), (pump) => {
    const [small, large] = [pump(TIMES), pump(TIMES * FACTOR)];
    if (millisecondsOf(parse, large) >= FAST_MS) expectGrowthBelow(GROWTH_MAX, parse, small, large);
  });
}

/**
 * Expects the larger text to take less than `growthMax` times as long as the small one: by the processor time of the
 * parser itself, since the memory of a large text comes from the system page by page.
 */
export function expectGrowthBelow(
  growthMax: number,
  parse: (text: string) => unknown,
  small: string,
  large: string,
): void {
  const smallMs = Math.max(SHORTEST_MS, ownMillisecondsOf(parse, small, REPEATS * FACTOR));
  expect(ownMillisecondsOf(parse, large, REPEATS) / smallMs).toBeLessThan(growthMax);
}

function millisecondsOf(parse: (text: string) => unknown, text: string): number {
  const before = performance.now();
  tryToRead(parse, text);
  return performance.now() - before;
}

/** Processor time of one reading of several, which is counted in steps of milliseconds; without that of the system. */
function ownMillisecondsOf(parse: (text: string) => unknown, text: string, repeats: number): number {
  const before = process.threadCpuUsage();
  for (let repeat = 0; repeat < repeats; repeat += 1) tryToRead(parse, text);
  return process.threadCpuUsage(before).user / 1_000 / repeats;
}

/** Refusing is as good as reading: what may be thrown is the business of other properties. */
function tryToRead(parse: (text: string) => unknown, text: string): void {
  try {
    parse(text);
  } catch {
    // measured all the same
  }
}
