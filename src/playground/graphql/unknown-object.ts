import type { Context } from './context.js';
import { graphqlError } from './errors.js';

/** What a query gives for an identifier nobody has: null, with an error or without as the switch says. */
export function unknownObject(what: string, { switches }: Context): null {
  if (switches.unknownId === 'error')
    throw graphqlError('BAD_USER_INPUT', `There is no ${what} of this identifier.`);
  return null;
}
