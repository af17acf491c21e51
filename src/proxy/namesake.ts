import type { HirerEntry } from '../hirer-access/hirer-gate.js';
import { parseExact } from '../json/parse-exact.js';
import { isObject } from '../json/is-object.js';
import { codeOf } from '../upstream/upstream-error.js';
import { sliceMembers } from '../json/slices.js';
import type { RegisteredOperation } from '../operations/registered-operation.js';
import type { GraphqlResult } from '../operations/transport/graphql-result.js';

/** An answer to a refused text is short; a longer one passes as it is. */
const ANSWER_BYTES_MAX = 65_536;

/**
 * The upstream's refusal of a text, with the advice to call the registered operation of the same name, if that has the
 * partner token and is open to the member: who sends a generated document by its text learns what to send instead. Only
 * the message of a `FORBIDDEN` changes; every other byte stays.
 */
export function nameNamesake(
  result: GraphqlResult,
  namesake: RegisteredOperation,
  member: HirerEntry,
): GraphqlResult {
  const { name, token } = namesake.compiled;
  if (token !== 'partner' || namesake.refusalFor(member)) return result;
  const bytes = Buffer.from(result.body);
  if (bytes.length > ANSWER_BYTES_MAX) return result;
  const place = sliceMembers(bytes)?.find((member) => member.name === 'errors');
  if (!place) return result;
  const errors = parseExact(bytes.toString('utf8', place.start, place.end));
  if (!Array.isArray(errors) || !errors.some(isRefusal)) return result;
  const advised = (errors as unknown[]).map((error) => (isRefusal(error) ? advise(error, name) : error));
  const body = [
    bytes.subarray(0, place.start),
    Buffer.from(JSON.stringify(advised)),
    bytes.subarray(place.end),
  ];
  return { ...result, body: Buffer.concat(body) };
}

function isRefusal(error: unknown): error is { readonly message: string } {
  return codeOf(error) === 'FORBIDDEN' && isObject(error) && typeof error['message'] === 'string';
}

function advise(error: { readonly message: string }, name: string): object {
  const advice = `An operation of this name is registered: send {"documentId": "${name}"} instead of a text.`;
  return { ...error, message: `${error.message} ${advice}` };
}
