import { randomBytes } from 'node:crypto';
import { measureJson, type JsonSize } from './measure-json.js';

declare global {
  interface JSON {
    /** A value that `JSON.stringify` writes as exactly `text` (ECMAScript, JSON.parse source text access). */
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
  }
}

/** Prefix of the string that temporarily replaces a number; unguessable for callers. */
const MARK = randomBytes(12).toString('base64');

/**
 * Parses JSON so that `JSON.stringify` writes every number as it was: one that would change is kept as raw text.
 * Such numbers are marked in the text first, since a reviver of `JSON.parse` with source access takes a second for a
 * megabyte.
 * @throws SyntaxError
 */
export function parseExact(text: string): unknown {
  const size = measureJson(text);
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
