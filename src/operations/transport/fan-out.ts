import { BffError } from '../../errors/bff-error.js';
import type { Operation } from '../operation.js';
import type { Outcome } from './graphql-result.js';

const CALLS_MAX = 5;

/**
 * Runs operations one by one, five at a time: mutations in their order, queries beside them.
 * @returns an outcome for each operation, in order; a BffError thrown for one is its outcome
 */
export async function fanOut(
  operations: readonly Operation[],
  runOne: (operation: Operation) => Promise<readonly Outcome[]>,
): Promise<Outcome[]> {
  const outcomes = new Array<Outcome>(operations.length);
  const waiting = [...operations.entries()];
  const take = (type: Operation['type']): [number, Operation] | undefined => {
    const next = waiting.findIndex(([, operation]) => operation.type === type);
    return next < 0 ? undefined : waiting.splice(next, 1)[0];
  };
  const work = async (type: Operation['type']): Promise<void> => {
    for (let next = take(type); next; next = take(type)) {
      outcomes[next[0]] = await asOutcome(runOne(next[1]));
    }
  };
  const hasMutations = operations.some(({ type }) => type === 'mutation');
  const readers = CALLS_MAX - (hasMutations ? 1 : 0);
  await Promise.all([work('mutation'), ...Array.from({ length: readers }, () => work('query'))]);
  return outcomes;
}

/** The outcome of a single operation, also when there was no token for it. */
async function asOutcome(outcomes: Promise<readonly Outcome[]>): Promise<Outcome> {
  try {
    return (await outcomes)[0]!;
  } catch (error) {
    if (error instanceof BffError) return error;
    throw error;
  }
}
