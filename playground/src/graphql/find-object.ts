import type { RelationshipType } from '../data/hirers.js';
import { SCHEMES } from '../data/world.js';
import { assertHirer } from './access.js';
import type { Context } from './context.js';
import { graphqlError, invalid } from './errors.js';

type Lookup<T> = Pick<ReadonlyMap<string, T>, 'get'>;

/**
 * Looks an object up by identifier. For an unknown one the answer is null, with or without an error as the switch
 * says; objects of the live scheme cannot be read with tokens of the playground.
 */
export function findObject<T>(objects: Lookup<T>, id: string, context: Context): T | null {
  const found = objects.get(id);
  if (found !== undefined) return found;
  assertIdOfPlayground(id);
  const { unknownId } = context.switches;
  if (unknownId === 'null') return null;
  throw graphqlError(unknownId, 'No object has this identifier.');
}

/** A query for one object of a hirer, who has at least one of the relationships if any is named. */
export function objectById(
  records: 'brandings' | 'openings' | 'questionnaires',
  ...anyOf: readonly RelationshipType[]
) {
  return ({ id }: { id: string }, context: Context): object | null => {
    const found = findObject<{ readonly hirerId: string }>(context.world[records], id, context);
    if (found !== null) assertHirer(found.hirerId, context, ...anyOf);
    return found;
  };
}

/** The object that an argument identifies, where it must exist; `field` is the path of the argument. */
export function requireObject<T>(objects: Lookup<T>, id: string, field: string): T {
  const found = objects.get(id);
  if (found === undefined) throw invalid(field, 'must identify an object that exists');
  return found;
}

/** Throws unless the scheme is one of the playground: tokens of the playground give no access to live data (interface 12). */
export function assertScheme(schemeId: string): void {
  if (SCHEMES.some((scheme) => scheme === schemeId)) return;
  if (['seekAnz', 'global'].includes(schemeId)) {
    throw graphqlError('UNAUTHENTICATED', 'A token of the playground does not open live data.');
  }
  throw invalid('schemeId', 'must be a scheme of the playground');
}

/** The same for a single object, by the scheme that its identifier begins with. */
export function assertIdOfPlayground(id: string): void {
  if (/^(seekAnz|global):/.test(id)) assertScheme(id.slice(0, id.indexOf(':')));
}
