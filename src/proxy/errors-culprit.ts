import { isObject } from '../json/is-object.js';
import { codeOf, REFUSAL_CODES } from '../upstream/upstream-error.js';
import { sliceMembers } from '../json/slices.js';

/** Errors beyond this are not read: who is to blame is for the metrics alone. */
const ERRORS_BYTES_MAX = 16_384;

/**
 * The culprit of the `errors` of a GraphQL answer, by their codes: the upstream if any is of its own, the caller if
 * all refuse what was asked; undefined when codes are missing, or there is too much to read.
 */
export function errorsCulprit(body: Buffer | string): 'caller' | 'upstream' | undefined {
  const codes = readCodes(Buffer.isBuffer(body) ? body : Buffer.from(body));
  if (codes.some((code) => code !== undefined && !REFUSAL_CODES.has(code))) return 'upstream';
  return codes.length > 0 && codes.every((code) => code !== undefined) ? 'caller' : undefined;
}

function readCodes(body: Buffer): (string | undefined)[] {
  const slice = sliceMembers(body)?.find(({ name }) => name === 'errors');
  if (!slice || slice.end - slice.start > ERRORS_BYTES_MAX) return [];
  try {
    const errors = JSON.parse(body.toString('utf8', slice.start, slice.end)) as unknown;
    return Array.isArray(errors) ? errors.filter(isObject).map(codeOf) : [];
  } catch {
    return [];
  }
}
