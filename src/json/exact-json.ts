import { randomBytes } from 'node:crypto';

declare global {
  interface JSON {
    /** A value that `JSON.stringify` writes as exactly `text` (ECMAScript, JSON.parse source text access). */
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
  }
}

/** Prefix of the string that temporarily replaces a number; unguessable for callers. */
const MARK = randomBytes(12).toString('base64');

const [SPACE, QUOTE, PLUS, COMMA, MINUS, DOT, ZERO, NINE, COLON] = [
  0x20, 0x22, 0x2b, 0x2c, 0x2d, 0x2e, 0x30, 0x39, 0x3a,
];
const [OPEN_BRACKET, BACKSLASH, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5c, 0x5d, 0x7b, 0x7d];
const [UPPER_E, LOWER_E] = [0x45, 0x65];
/** Digits of a whole number that JavaScript writes as it was, whatever they are. */
const SAFE_DIGITS = 15;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** How much there is in a JSON text. */
interface JsonSize {
  /** Values below the outermost, at all depths: each follows a comma or an opening bracket, and `[]` counts as one. */
  readonly values: number;
  /** Brackets around the value that has the most. */
  readonly levels: number;
  /** Start and end of each number that JavaScript would write differently, in order. */
  readonly delicate: readonly number[];
}

/**
 * Measures a JSON text at a third of the cost of parsing it; what follows one value more than `valuesMax` is not read.
 * Of a text that is no JSON it says nothing.
 */
export function measureJson(text: string, valuesMax = Infinity): JsonSize {
  const delicate: number[] = [];
  let [values, level, levels] = [0, 0, 0];
  for (let at = 0; at < text.length && values <= valuesMax; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
    } else if (code === COMMA) {
      values += 1;
    } else if (code === OPEN_BRACKET || code === OPEN_BRACE) {
      values += 1;
      level += 1;
      if (level > levels) levels = level;
    } else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) {
      level -= 1;
    } else if (code === MINUS || isDigit(code)) {
      const end = endOfNumber(text, at);
      if (isDelicate(text, at, end)) delicate.push(at, end);
      at = end - 1;
    }
  }
  return { values, levels, delicate };
}

/** The position of the quote that ends a string. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, quote: number): boolean {
  let at = quote;
  while (text.charCodeAt(at - 1) === BACKSLASH) at -= 1;
  return (quote - at) % 2 === 1;
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (isDigit(text.charCodeAt(end)) || isMark(text.charCodeAt(end))) end += 1;
  return end;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

function isMark(code: number): boolean {
  return code === DOT || code === LOWER_E || code === UPPER_E || code === PLUS || code === MINUS;
}

/** A name of a member is none, although it may be written like a number in what is no JSON. */
function isDelicate(text: string, start: number, end: number): boolean {
  const isShort = end - start <= SAFE_DIGITS;
  if (isShort && isWhole(text, start, end)) return false;
  const number = text.slice(start, end);
  return NUMBER.test(number) && String(Number(number)) !== number && !isName(text, end);
}

function isWhole(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (!isDigit(text.charCodeAt(at))) return false;
  return true;
}

function isName(text: string, end: number): boolean {
  let at = end;
  while (text.charCodeAt(at) <= SPACE) at += 1;
  return text.charCodeAt(at) === COLON;
}

/** True if JSON has more values than `max`, at all depths. */
export function hasMoreValues(text: string, max: number): boolean {
  return text.length > max && measureJson(text, max).values > max;
}

/**
 * Parses JSON so that `JSON.stringify` writes every number as it was: one that would change is kept as raw text.
 * Such numbers are marked in the text first, since a reviver of `JSON.parse` with source access takes a second for a
 * megabyte.
 * @throws SyntaxError
 */
export function parseExact(text: string, size: JsonSize = measureJson(text)): unknown {
  return restoreNumbers(parseMarked(text, size), size);
}

/** The first half of {@link parseExact}: a marked string stands in the place of each number that would change. */
export function parseMarked(text: string, { delicate }: JsonSize): unknown {
  return JSON.parse(delicate.length === 0 ? text : markNumbers(text, delicate));
}

/** The second half: restores the numbers, modifying the value in place. */
export function restoreNumbers(value: unknown, { delicate }: JsonSize): unknown {
  return delicate.length === 0 ? value : restore(value);
}

/** The text, with a marked string in place of each of the numbers. */
function markNumbers(text: string, places: readonly number[]): string {
  const parts: string[] = [];
  let done = 0;
  for (let index = 0; index < places.length; index += 2) {
    const [start, end] = [places[index]!, places[index + 1]!];
    parts.push(text.slice(done, start), `"${MARK}${text.slice(start, end)}"`);
    done = end;
  }
  return parts.join('') + text.slice(done);
}

function restore(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.startsWith(MARK) ? JSON.rawJSON(value.slice(MARK.length)) : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const holder = value as Record<string, unknown>;
  for (const key of Object.keys(holder)) {
    const member = holder[key];
    const restored = restore(member);
    if (restored !== member) holder[key] = restored;
  }
  return holder;
}
