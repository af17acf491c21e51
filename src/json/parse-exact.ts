import { randomUUID } from 'node:crypto';

declare global {
  interface JSON {
    /** A value that `JSON.stringify` writes as exactly `text` (ECMAScript, JSON.parse source text access). */
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
  }
}

/**
 * A number that JavaScript may write differently: more than 15 digits, a fraction, an exponent, minus zero; where a number
 * may stand, so that a time in a string is none, though some strings hold what looks like one.
 */
const DELICATE = /(?:^|[[,\s]|["\s]:)(?:-?(?:\d{16}|\d+[.eE])|-0)/;
/** The whole of such a number, in valid JSON. */
const DELICATE_NUMBER = /-?\d+(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+)|-?\d{16,}|-0/g;
const BACKSLASH = 0x5c;
/** Prefix of the string that temporarily replaces a number; unguessable for callers. */
const MARK = randomUUID();

/**
 * Parses JSON so that `JSON.stringify` writes every number as it was: one that would change is kept as raw text.
 * Such numbers are marked in the text first, since a reviver of `JSON.parse` with source access takes a second for a
 * megabyte.
 * @throws SyntaxError
 */
export function parseExact(text: string): unknown {
  const value: unknown = JSON.parse(text); // before marking, which could hide a fault
  return DELICATE.test(text) ? restoreNumbers(JSON.parse(markNumbers(text))) : value;
}

/** The text, with a marked string in place of every number that would change. */
function markNumbers(text: string): string {
  const parts: string[] = [];
  for (let at = 0; at < text.length;) {
    const quote = text.indexOf('"', at);
    const between = quote < 0 ? text.slice(at) : text.slice(at, quote);
    parts.push(between.replace(DELICATE_NUMBER, markNumber));
    if (quote < 0) break;
    at = endOfString(text, quote);
    parts.push(text.slice(quote, at));
  }
  return parts.join('');
}

function markNumber(source: string): string {
  return String(Number(source)) === source ? source : `"${MARK}${source}"`;
}

/** The position after the string that begins at `from`, in valid JSON. */
function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end + 1;
}

function isEscaped(text: string, at: number): boolean {
  let start = at;
  while (text.charCodeAt(start - 1) === BACKSLASH) start -= 1;
  return (at - start) % 2 === 1;
}

/** Restores the numbers, modifying the value in place. */
function restoreNumbers(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.startsWith(MARK) ? JSON.rawJSON(value.slice(MARK.length)) : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const holder = value as Record<string, unknown>;
  for (const key of Object.keys(holder)) {
    const member = holder[key];
    const restored = restoreNumbers(member);
    if (restored !== member) holder[key] = restored;
  }
  return holder;
}
