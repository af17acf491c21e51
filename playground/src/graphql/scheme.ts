import { SCHEMES } from '../data/world.js';
import { graphqlError, invalid } from './errors.js';

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
