import { BACKSLASH, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './scan.js';

/** True if JSON has more values than `max`, at all depths. Costs a fraction of parsing it. */
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
