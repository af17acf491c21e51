import fc from 'fast-check';
import { SPECIAL_NAMES, valueText } from './json-texts.js';

/** A value of an answer as the upstream writes it, and what the caller may see of it. */
export interface Sample {
  readonly text: string;
  readonly seen: unknown;
}

/** Any value: what is below a leaf stays. */
export const leaf: fc.Arbitrary<Sample> = valueText.map((text) => ({ text, seen: JSON.parse(text) }));

/** Objects of some of these members in any order, with others between them; now and then one is there twice, and the last counts. */
export function sampleOf(members: Readonly<Record<string, fc.Arbitrary<Sample>>>): fc.Arbitrary<Sample> {
  const names = Object.keys(members);
  const others = fc.tuple(fc.constantFrom(...SPECIAL_NAMES, ...names.map((name) => `${name}x`)), leaf);
  const some = fc
    .tuple(fc.shuffledSubarray(names), fc.option(fc.constantFrom(...names), { freq: 20 }))
    .chain(([once, twice]) =>
      fc.tuple(
        ...[...once, ...(twice === null ? [] : [twice])].map((name) =>
          fc.tuple(fc.constant(name), members[name]!),
        ),
      ),
    );
  return fc
    .tuple(some, fc.array(fc.tuple(fc.nat(6), others), { maxLength: 4 }), fc.constantFrom('', ' ', '\n\t'))
    .map(([selected, more, blank]) => {
      const all: (readonly [string, Sample])[] = [...selected];
      for (const [at, other] of more) all.splice(at, 0, other);
      const written = all.map(
        ([name, { text }]) => blank + [JSON.stringify(name), ':', text].join(blank) + blank,
      );
      const text = `{${written.join(',')}}`;
      const seen = selected.map(([name, sample]) => [name, sample.seen] as const);
      return { text, seen: Object.fromEntries(seen) };
    });
}

/** The same value alone, or as the only item of a list. */
export function listed(samples: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> {
  const inList = ({ text, seen }: Sample): Sample => ({ text: `[${text}]`, seen: [seen] });
  return fc.oneof(samples, samples.map(inList));
}
