import { isUtf8 } from 'node:buffer';
import { BffError } from '../errors/bff-error.js';
import { hasMoreValues } from './exact-json.js';
import { isObject } from './is-object.js';

/** Most values of a body from a caller: a megabyte of small ones would hold the event loop for half a second. */
export const VALUES_MAX = 10_000;

/**
 * The JSON object that a request body holds.
 * @param parse reads the text; what it throws but a SyntaxError passes
 * @throws BffError `invalid_request` for anything else, and for more than `valuesMax` values; the parser's own text
 *   is dropped, since it quotes the body
 */
export function parseJsonObject(
  body: unknown,
  valuesMax = VALUES_MAX,
  parse: (text: string) => unknown = JSON.parse,
): Record<string, unknown> {
  if (!Buffer.isBuffer(body) || body.length === 0) throw badBody('the body is empty; send a JSON object');
  if (!isUtf8(body)) throw badBody('the body is not valid UTF-8');
  const text = body.toString();
  if (hasMoreValues(text, valuesMax)) throw badBody(`the body has more than ${valuesMax} values`);
  try {
    const value = parse(text);
    if (isObject(value)) return value;
  } catch (error) {
    throw error instanceof SyntaxError ? badBody('the body is not valid JSON') : error;
  }
  throw badBody('must be a JSON object');
}

/** The same where the whole body may be left out; undefined then. @throws BffError `invalid_request` */
export function parseOptionalJsonObject(body: unknown): Record<string, unknown> | undefined {
  const isEmpty = body === undefined || body === null || (Buffer.isBuffer(body) && body.length === 0);
  return isEmpty ? undefined : parseJsonObject(body);
}

function badBody(message: string): BffError {
  return new BffError('invalid_request', { errors: [{ field: '', message }] });
}
