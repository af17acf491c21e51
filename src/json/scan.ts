/** The error for bytes that are not JSON (RFC 8259). */
export class NotJson extends Error {}

const [MINUS, PLUS, DOT, ZERO, NINE] = [0x2d, 0x2b, 0x2e, 0x30, 0x39] as const;
const [UPPER_E, LOWER_E, LOWER_U] = [0x45, 0x65, 0x75] as const;
/** The characters that may follow a backslash, apart from `u`. */
const ESCAPES: ReadonlySet<number | undefined> = new Set(Buffer.from('"\\/bfnrt'));
const HEX_DIGITS: ReadonlySet<number | undefined> = new Set(Buffer.from('0123456789abcdefABCDEF'));
const WORDS: ReadonlyMap<number | undefined, Buffer> = new Map(
  ['true', 'false', 'null'].map((word) => [word.charCodeAt(0), Buffer.from(word)]),
);

/** The highest byte of white space. */
export const SPACE = 0x20;
/** The byte that opens and closes a string, and the one that begins an escape in it. */
export const [QUOTE, BACKSLASH] = [0x22, 0x5c] as const;
/** The bytes that separate items, and a name from its value. */
export const [COMMA, COLON] = [0x2c, 0x3a] as const;
/** The byte that begins `null`. */
export const LOWER_N = 0x6e;
/** The bytes that open and close objects and lists. */
export const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d] as const;

/**
 * The position after the JSON value that begins at `at`. The time grows with the number of bytes, whatever they are.
 * The walk is recursive.
 * @throws NotJson
 */
export function endOfValue(bytes: Buffer, at: number): number {
  const byte = bytes[at];
  if (byte === QUOTE) return endOfString(bytes, at);
  if (byte === OPEN_BRACE) return endOfItems(bytes, at, CLOSE_BRACE, endOfMember);
  if (byte === OPEN_BRACKET) return endOfItems(bytes, at, CLOSE_BRACKET, endOfValue);
  return endOfWord(bytes, at) ?? endOfNumber(bytes, at);
}

/**
 * The position after the brackets that open at `at`.
 * @param endOfItem called with the position of each item, in order
 * @throws NotJson
 */
export function endOfItems(
  bytes: Buffer,
  at: number,
  close: number,
  endOfItem: (bytes: Buffer, at: number) => number,
): number {
  let next = firstItem(bytes, at, close);
  while (next >= 0) next = nextItem(bytes, endOfItem(bytes, next), close);
  return ~next;
}

/** The position of the first item of the brackets that open at `at`; `~end` when there is none. */
export function firstItem(bytes: Buffer, at: number, close: number): number {
  const next = skipSpace(bytes, at + 1);
  return bytes[next] === close ? ~(next + 1) : next;
}

/** The position of the item after one that ends at `end`; `~end` of the brackets after the last one. @throws NotJson */
export function nextItem(bytes: Buffer, end: number, close: number): number {
  const next = skipSpace(bytes, end);
  if (bytes[next] === close) return ~(next + 1);
  if (bytes[next] !== COMMA) throw new NotJson();
  return skipSpace(bytes, next + 1);
}

function endOfMember(bytes: Buffer, at: number): number {
  return endOfValue(bytes, startOfValue(bytes, endOfString(bytes, at)));
}

/** The position of a member's value, by that after its name. @throws NotJson */
export function startOfValue(bytes: Buffer, nameEnd: number): number {
  const at = skipSpace(bytes, nameEnd);
  if (bytes[at] !== COLON) throw new NotJson();
  return skipSpace(bytes, at + 1);
}

/** Marks the bytes that may stand in a string and mean nothing more: a table skips them fastest. */
const IS_PLAIN = new Uint8Array(256).fill(1, SPACE);
for (const byte of [QUOTE, BACKSLASH]) IS_PLAIN[byte] = 0;

/** The position after the string that begins at `from`. @throws NotJson */
export function endOfString(bytes: Buffer, from: number): number {
  if (bytes[from] !== QUOTE) throw new NotJson();
  const { length } = bytes;
  for (let at = from + 1; at < length; at += 1) {
    const byte = bytes[at]!;
    if (IS_PLAIN[byte] === 1) continue;
    if (byte === QUOTE) return at + 1;
    if (byte !== BACKSLASH) break;
    at = endOfEscape(bytes, at + 1) - 1;
  }
  throw new NotJson();
}

function endOfEscape(bytes: Buffer, at: number): number {
  if (ESCAPES.has(bytes[at])) return at + 1;
  if (bytes[at] !== LOWER_U) throw new NotJson();
  for (let digit = at + 1; digit <= at + 4; digit += 1) {
    if (!HEX_DIGITS.has(bytes[digit])) throw new NotJson();
  }
  return at + 5;
}

function endOfWord(bytes: Buffer, from: number): number | undefined {
  const word = WORDS.get(bytes[from]);
  if (!word) return undefined;
  for (let at = 0; at < word.length; at += 1) if (bytes[from + at] !== word[at]) throw new NotJson();
  return from + word.length;
}

function endOfNumber(bytes: Buffer, from: number): number {
  let at = bytes[from] === MINUS ? from + 1 : from;
  at = bytes[at] === ZERO ? at + 1 : endOfDigits(bytes, at);
  if (bytes[at] === DOT) at = endOfDigits(bytes, at + 1);
  if (bytes[at] !== UPPER_E && bytes[at] !== LOWER_E) return at;
  at += 1;
  return endOfDigits(bytes, bytes[at] === PLUS || bytes[at] === MINUS ? at + 1 : at);
}

function endOfDigits(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at]! >= ZERO && bytes[at]! <= NINE) at += 1;
  if (at === from) throw new NotJson();
  return at;
}

/** The position of the first byte from `from` on that is no white space. */
export function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at]!;
    if (byte > SPACE || (byte !== SPACE && byte !== 9 && byte !== 10 && byte !== 13)) break;
    at += 1;
  }
  return at;
}
