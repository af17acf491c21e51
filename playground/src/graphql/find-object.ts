import type { Context } from './context.js';
import { graphqlError, invalid } from './errors.js';
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

/** The object that an argument identifies, where it must exist; `field` is the path of the argument. */
export function requireObject<T>(objects: Pick<ReadonlyMap<string, T>, 'get'>, id: string, field: string): T {
  const found = objects.get(id);
  if (found === undefined) throw invalid(field, 'must identify an object that exists');
  return found;
}
