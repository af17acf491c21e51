import { relative } from 'node:path';
import fc from 'fast-check';

/** Cases of one target, shared equally by its properties. */
const CASES = Number(process.env['FUZZ_CASES'] ?? 200);
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);
const GROWTH_SHARE = 1 / 40;

type AnyProperty = fc.IRawProperty<any>;

/** Further options of a target. */
export interface TargetOptions {
  /** That the parser takes time in proportion to its input; on a fortieth of the cases, for each is measured. */
  readonly growth?: AnyProperty;
  /** Part of the cases that the whole target runs, for one whose cases are requests over a socket. */
  readonly share?: number;
}

/**
 * Fuzzes one parser that meets the outside: each property, named as the guarantee it holds, on its share of the cases.
 */
export function target(
  name: string,
  properties: Readonly<Record<string, AnyProperty>>,
  { growth, share = 1 }: TargetOptions = {},
): void {
  const entries = Object.entries(properties);
  describe(name, () => {
    test.each(entries)('%s', (_guarantee, property) => check(property, (CASES * share) / entries.length));
    if (growth) {
      test('time grows in proportion to the input', () => check(growth, CASES * GROWTH_SHARE, false));
    }
  });
}

async function check(property: AnyProperty, cases: number, shrink = true): Promise<void> {
  const details = await fc.check(property, {
    seed: SEED,
    numRuns: Math.ceil(cases),
    endOnFailure: !shrink, // where each case is measured, to find a smaller one takes longer than it helps
  });
  if (details.failed) throw new Error(describeFailure(details), { cause: details.errorInstance });
}

function describeFailure(details: fc.RunDetails<any>): string {
  const file = relative(process.cwd(), expect.getState().testPath ?? '');
  const repeat = `FUZZ_SEED=${SEED} FUZZ_CASES=${CASES} npm test -- ${file}`;
  return `${fc.defaultReportMessage(details as fc.RunDetails<unknown>)}\n\nRepeat with: ${repeat}`;
}
