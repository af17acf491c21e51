import fc from 'fast-check';

/** A text that repeats a part of itself so many times. */
export type Pump = (times: number) => string;

const TIMES = 1_000;
const FACTOR = 4;
const GROWTH_MAX = 12; // between linear (4) and quadratic (16)
const FAST_MICROSECONDS = 3_000;
const MEASUREMENTS = 5;

/** Hostile texts made of a grammar's own pieces: some, then some of them over and over, then some more. */
export function pumpOf(pieces: readonly string[]): fc.Arbitrary<Pump> {
  const some = (minLength: number) =>
    fc.array(fc.constantFrom(...pieces), { minLength, maxLength: 3 }).map((chosen) => chosen.join(''));
  return fc.tuple(some(0), some(1), some(0)).map(([prefix, unit, suffix]) => {
    const pump: Pump = (times) => prefix + unit.repeat(times) + suffix;
    return Object.assign(pump, { [fc.toStringMethod]: () => JSON.stringify([prefix, unit, suffix]) });
  });
}

/** A property: four times the text takes the parser less than twelve times the processor's time. */
export function growsLinearly(pieces: readonly string[], parse: (text: string) => unknown) {
  return fc.property(pumpOf(pieces), (pump) => {
    const [small, large] = [pump(TIMES), pump(TIMES * FACTOR)];
    if (microsecondsOf(parse, large) < FAST_MICROSECONDS) return;
    expect(growthOf(parse, small, large)).toBeLessThan(GROWTH_MAX);
  });
}

/** How many times as long the larger text takes. */
export function growthOf(parse: (text: string) => unknown, small: string, large: string): number {
  return fastest(parse, large) / Math.max(1, fastest(parse, small));
}

function fastest(parse: (text: string) => unknown, text: string): number {
  return Math.min(...Array.from({ length: MEASUREMENTS }, () => microsecondsOf(parse, text)));
}

/** Processor time of this thread, which other processes do not lengthen. Refusing is as good as reading. */
function microsecondsOf(parse: (text: string) => unknown, text: string): number {
  const before = process.threadCpuUsage();
  try {
    parse(text);
  } catch {
    // what may be thrown is the business of other properties
  }
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}
