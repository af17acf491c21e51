import fc from 'fast-check';

/** Cases of one target, shared equally by its properties. */
const CASES = Number(process.env['FUZZ_CASES'] ?? 2_000);
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);

type AnyProperty = fc.IRawProperty<any>;

/**
 * Fuzzes one parser that meets the outside: each property, named as the guarantee it holds, on its share of the cases.
 * @param share of the cases that the whole target runs, for one whose cases are requests over a socket
 */
export function target(name: string, properties: Readonly<Record<string, AnyProperty>>, share = 1): void {
  const entries = Object.entries(properties);
  const numRuns = Math.ceil((CASES * share) / entries.length);
  describe(name, () => {
    test.each(entries)('%s', async (_guarantee, property) => {
      const details = await fc.check(property, { seed: SEED, numRuns });
      if (details.failed) throw new Error(describeFailure(details), { cause: details.errorInstance });
    });
  });
}

function describeFailure(details: fc.RunDetails<any>): string {
  const { testPath } = expect.getState();
  const repeat = `FUZZ_SEED=${SEED} FUZZ_CASES=${CASES} npm test -- ${testPath}`;
  return `${fc.defaultReportMessage(details as fc.RunDetails<unknown>)}\n\nRepeat with: ${repeat}`;
}
