import type { Context } from './context.js';
import { graphqlError } from './errors.js';
import { assertIdOfPlayground } from './scheme.js';

/**
 * Looks an object up by identifier. For an unknown one the answer is null, with or without an error as the switch
 * says; objects of the live scheme cannot be read with tokens of the playground.
 */
export function findObject<T>(objects: ReadonlyMap<string, T>, id: string, context: Context): T | null {
  const found = objects.get(id);
  if (found !== undefined) return found;
  assertIdOfPlayground(id);
  const { unknownId } = context.switches;
  if (unknownId === 'null') return null;
  throw graphqlError(unknownId, 'There is no object with this identifier.');
}

/** The same for an identifier inside an input, where it must exist. */
export function requireObject<T>(objects: ReadonlyMap<string, T>, id: string, member: string): T {
  const found = objects.get(id);
  if (found === undefined) {
    throw graphqlError('BAD_USER_INPUT', `${member} is not the identifier of a known object.`);
  }
  return found;
}
