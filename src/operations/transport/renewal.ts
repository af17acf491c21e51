import { BffError } from '../../errors/bff-error.js';
import { UNAUTHENTICATED } from '../../upstream/upstream-error.js';
import type { Operation } from '../operation.js';
import { TokenRefused, holdsValues, readErrors, type Outcome, type ReadError } from './graphql-result.js';

/** True if an operation, or a part of it, failed because of its token. */
export function refusesToken(outcome: Outcome): boolean {
  if (outcome instanceof BffError) return outcome instanceof TokenRefused;
  if (!outcome.errors?.includes(UNAUTHENTICATED)) return false;
  return readErrors(outcome).some(({ code }) => code === UNAUTHENTICATED);
}

/**
 * True if an operation failed because of its token, and may be sent again with a fresh one (interface 5.5, 5.8). A
 * query may always be sent again; a mutation only when it is certain that nothing of it ran.
 */
export function mayRenew(
  { type, rootKeys }: Pick<Operation, 'type' | 'rootKeys'>,
  outcome: Outcome,
): boolean {
  if (!refusesToken(outcome)) return false;
  if (type === 'query') return true;
  if (outcome instanceof BffError) return false;
  return !holdsValues(outcome.body) && accountsForAll(readErrors(outcome), rootKeys);
}

/**
 * Every error is UNAUTHENTICATED and either has no path or names a root field: one below would mean that the field ran,
 * and a path that cannot be read may mean that. Each root field is accounted for, either by an error of its own or, all
 * together, by a refusal of the whole request.
 */
function accountsForAll(errors: readonly ReadError[], rootKeys: readonly string[]): boolean {
  if (!errors.every(({ code, path }) => code === UNAUTHENTICATED && (path?.length ?? 1) === 1)) return false;
  const refused = new Set(errors.map(({ path }) => path?.[0]));
  return refused.has(undefined) ? refused.size === 1 : rootKeys.every((key) => refused.has(key));
}
