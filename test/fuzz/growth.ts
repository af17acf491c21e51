import fc from 'fast-check';

/** A text that repeats a part of itself so many times. */
type Pump = (times: number) => string;

const TIMES = 500;
const FACTOR = 16;
const GROWTH_MAX = 64; // as far from linear (16) as from quadratic (256)
const FAST_MS = 5;
const SHORTEST_MS = 0.1;
const MEASUREMENTS = 5;
const ROUND_TRIPS = 2; // of a text to bytes and back, that a parser may make
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
 * one; measured again where a busy machine interfered. What mere copies of it take does not count: a large text is memory
 * that the system hands out page by page, which on some machines takes longer than to read it.
 */
export function expectGrowthBelow(
  growthMax: number,
  parse: (text: string) => unknown,
  small: string,
  large: string,
  firstMs = millisecondsOf(parse, large),
): void {
  const smallMs = Math.max(SHORTEST_MS, fastest(parse, small));
  const copiesMs = ROUND_TRIPS * fastest((text) => Buffer.from(text).toString(), large);
  const growthOf = (largeMs: number): number => (largeMs - copiesMs) / smallMs;
  let growth = growthOf(firstMs);
  for (let attempt = 1; attempt < ATTEMPTS && growth >= growthMax; attempt += 1) {
    growth = growthOf(millisecondsOf(parse, large));
  }
  expect(growth).toBeLessThan(growthMax);
}

function fastest(parse: (text: string) => unknown, text: string): number {
  return Math.min(...Array.from({ length: MEASUREMENTS }, () => millisecondsOf(parse, text)));
}

/** Refusing is as good as reading: what may be thrown is the business of other properties. */
function millisecondsOf(parse: (text: string) => unknown, text: string): number {
  const before = performance.now();
  try {
    parse(text);
  } catch {
    // measured all the same
  }
  return performance.now() - before;
}
