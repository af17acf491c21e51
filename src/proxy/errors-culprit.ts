import { isObject } from '../json/is-object.js';
import { codeOf } from '../upstream/upstream-error.js';
import { sliceMembers } from '../json/slices.js';

/** Errors beyond this are not read: who is to blame is for the metrics alone. */
const ERRORS_BYTES_MAX = 16_384;

/** Codes with which a GraphQL server refuses what was asked. Any other is of a failure of its own. */
const OF_THE_CALLER = new Set([
  'BAD_USER_INPUT',
  'BAD_REQUEST',
  'FORBIDDEN',
  'NOT_FOUND',
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
  'PERSISTED_QUERY_NOT_FOUND',
]);

/**
 * The culprit of the `errors` of a GraphQL answer, by their codes: the upstream if any is of its own, the caller if
 * all refuse what was asked; undefined when codes are missing, or there is too much to read.
 */
export function errorsCulprit(body: Buffer | string): 'caller' | 'upstream' | undefined {
  const codes = readCodes(Buffer.isBuffer(body) ? body : Buffer.from(body));
  if (codes.some((code) => code !== undefined && !OF_THE_CALLER.has(code))) return 'upstream';
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
