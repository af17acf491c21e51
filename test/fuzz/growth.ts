import fc from 'fast-check';

/** A text that repeats a part of itself so many times. */
type Pump = (times: number) => string;

const TIMES = 500;
const FACTOR = 16;
const GROWTH_MAX = 64; // as far from linear (16) as from quadratic (256)
const FAST_MS = 5;
const SHORTEST_MS = 0.1;
const MEASUREMENTS = 5;
const REPEATS = 16; // where processor time is read, which is counted in steps of milliseconds
const ATTEMPTS = 15;

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
    const firstMs = millisecondsOf(parse, large);
    if (firstMs >= FAST_MS) expectGrowthBelow(GROWTH_MAX, parse, small, large, firstMs);
  });
}

/**
 * Expects the larger text to take less than `growthMax` times as long as the fastest of several readings of the small
 * one; measured again where a busy machine interfered. In the end the processor time of the parser itself counts: the
 * memory of a large text comes from the system page by page, which on some machines takes longer than to read it.
 */
export function expectGrowthBelow(
  growthMax: number,
  parse: (text: string) => unknown,
  small: string,
  large: string,
  firstMs = millisecondsOf(parse, large),
): void {
  const smallMs = Math.max(SHORTEST_MS, fastest(parse, small));
  let growth = firstMs / smallMs;
  for (let attempt = 1; attempt < ATTEMPTS && growth >= growthMax; attempt += 1) {
    growth = millisecondsOf(parse, large) / smallMs;
  }
  for (let attempt = 1; attempt < MEASUREMENTS && growth >= growthMax; attempt += 1) {
    const ownMs = Math.max(SHORTEST_MS, ownMillisecondsOf(parse, small, REPEATS * FACTOR));
    growth = ownMillisecondsOf(parse, large, REPEATS) / ownMs;
  }
  expect(growth).toBeLessThan(growthMax);
}

function fastest(parse: (text: string) => unknown, text: string): number {
  return Math.min(...Array.from({ length: MEASUREMENTS }, () => millisecondsOf(parse, text)));
}

function millisecondsOf(parse: (text: string) => unknown, text: string): number {
  const before = performance.now();
  tryToRead(parse, text);
  return performance.now() - before;
}

/** Processor time of one reading of several, without that of the system. */
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
