import { clip } from '../../errors/clip.js';

/** Fields of a text that its label names. */
const NAMED_FIELDS_MAX = 3;

/**
 * How the audit trail names a text of the caller's own: by the first fields that it asks for.
 * @param rootKeys response keys of its root fields
 */
export function labelOf(type: 'query' | 'mutation', rootKeys: readonly string[]): string {
  const more = rootKeys.length > NAMED_FIELDS_MAX ? ' …' : '';
  return `${type} { ${clip(rootKeys.slice(0, NAMED_FIELDS_MAX).join(' '))}${more} }`;
}
