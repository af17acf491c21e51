import { readErrors, type GraphqlResult } from '../operations/transport/graphql-result.js';
import { REFUSAL_CODES } from '../upstream/upstream-error.js';

/**
 * The culprit of the `errors` of a GraphQL answer, by their codes: the upstream if any is of its own, the caller if
 * all refuse what was asked; undefined when codes are missing, or there is too much to read.
 */
export function errorsCulprit(result: Pick<GraphqlResult, 'errors'>): 'caller' | 'upstream' | undefined {
  const codes = readErrors(result).map(({ code }) => code);
  if (codes.some((code) => code !== undefined && !REFUSAL_CODES.has(code))) return 'upstream';
  return codes.length > 0 && codes.every((code) => code !== undefined) ? 'caller' : undefined;
}
