const [SPACE, QUOTE, PLUS, COMMA, MINUS, DOT, ZERO, NINE, COLON] = [
  0x20, 0x22, 0x2b, 0x2c, 0x2d, 0x2e, 0x30, 0x39, 0x3a,
];
const [OPEN_BRACKET, BACKSLASH, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5c, 0x5d, 0x7b, 0x7d];
const [UPPER_E, LOWER_E] = [0x45, 0x65];
/** Digits of a whole number that JavaScript writes as it was, whatever they are. */
const SAFE_DIGITS = 15;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** How much there is in a JSON text. */
export interface JsonSize {
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
  let at = start + 1;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) break;
    if (code === BACKSLASH) at += 1;
  }
  return at;
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
