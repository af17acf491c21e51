import { isUtf8 } from 'node:buffer';
import { BffError } from './bff-error.js';

/** Most values of a body from a caller: a megabyte of small ones would hold the event loop for half a second. */
export const VALUES_MAX = 10_000;
const [QUOTE, BACKSLASH, COMMA, OPEN_BRACKET, OPEN_BRACE] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b];

/**
 * The JSON object that a request body holds.
 * @throws BffError `invalid_request` for anything else, and for more than `valuesMax` values; the parser's own text is
 *   dropped, since it quotes the body
 */
export function parseJsonObject(body: unknown, valuesMax = VALUES_MAX): Record<string, unknown> {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
  if (bytes.length === 0) throw badBody('the body is empty; send a JSON object');
  if (!isUtf8(bytes)) throw badBody('the body is not valid UTF-8');
  if (hasMoreValues(bytes, valuesMax)) throw badBody(`the body has more than ${valuesMax} values`);
  const value = parse(bytes.toString('utf8'));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badBody('must be a JSON object');
  }
  return value as Record<string, unknown>;
}

/** The same where the whole body may be left out; undefined then. @throws BffError `invalid_request` */
export function parseOptionalJsonObject(body: unknown): Record<string, unknown> | undefined {
  const isEmpty = body === undefined || body === null || (Buffer.isBuffer(body) && body.length === 0);
  return isEmpty ? undefined : parseJsonObject(body);
}

/** Whether JSON has more values than `max`, at all depths. Costs a fraction of parsing it. */
export function hasMoreValues(bytes: Buffer, max: number): boolean {
  return bytes.length > max && countValues(bytes, max) > max;
}

/** How many values JSON has below the outermost, or one more than `max`: each follows a comma or an opening bracket. */
export function countValues(bytes: Buffer, max = Infinity): number {
  let count = 0;
  for (let at = 0; at < bytes.length && count <= max; at += 1) {
    const byte = bytes[at]!;
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (byte === COMMA || byte === OPEN_BRACKET || byte === OPEN_BRACE) count += 1;
  }
  return count;
}

/** The position of the quote that ends a string. */
function endOfString(bytes: Buffer, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badBody('the body is not valid JSON');
  }
}

function badBody(message: string): BffError {
  return new BffError('invalid_request', { errors: [{ field: '', message }] });
}
