import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { BffError } from '../errors/bff-error.js';

declare global {
  interface JSON {
    /** A value that `JSON.stringify` writes as exactly `text` (ECMAScript, JSON.parse source text access). */
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
  }
}

/** Most values of a body from a caller: a megabyte of small ones would hold the event loop for half a second. */
export const VALUES_MAX = 10_000;

/** Prefix of the string that temporarily replaces a number; unguessable for callers. */
const MARK = randomBytes(12).toString('base64');

/** A string; in what is no JSON perhaps one without an end. */
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"?/gs;
/** A string or a number of JSON. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/gs;
/** What every text has that holds a number which JavaScript would write differently, and some others; a time has not. */
const MAY_CHANGE = /(?:^|\D:|[,[\s])-?(?:(?:0|[1-9]\d*)(?:\.\d|[eE][\d+-])|[1-9]\d{15}|0(?:[\s,\]}]|$))/;
/** Each value follows one of these outside of strings. */
const BEFORE_VALUE = /[,[{]/;

/**
 * The result of recursive work on a text or value from outside, or that of `tooDeep` where it is nested deeper than the
 * stack goes.
 */
export function unlessTooDeep<T>(work: () => T, tooDeep: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) return tooDeep();
    throw error;
  }
}

/**
 * The values of a JSON text below the outermost, at all depths, in which `[]` counts as one; of more than `max`, one more.
 * It takes a tenth of the time that a reviver of `JSON.parse` would. Of a text that is no JSON it says nothing; a string
 * of some millions of escapes, more than the stack of an expression holds, counts as too many.
 */
export function countValues(text: string, max = 2 ** 31): number {
  return unlessTooDeep(
    () => text.replace(STRING, '').split(BEFORE_VALUE, max + 2).length - 1,
    () => Infinity,
  );
}

/** True if JSON has more values than `max`, at all depths. */
export function hasMoreValues(text: string, max: number): boolean {
  return text.length > max && countValues(text, max) > max;
}

/** True if a JSON value is an object; a number that is kept as raw text is not. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}

/** True if more than so many brackets are around a value. Recursive to that depth. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return false;
  return levels === 0 || Object.values(value).some((below) => isDeeperThan(levels - 1, below));
}

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

/** The same where the whole body may be left out; an empty object then. @throws BffError `invalid_request` */
export function parseOptionalJsonObject(body: unknown): Record<string, unknown> {
  const isEmpty = body === undefined || body === null || (Buffer.isBuffer(body) && body.length === 0);
  return isEmpty ? {} : parseJsonObject(body);
}

function badBody(message: string): BffError {
  return new BffError('invalid_request', { errors: [{ field: '', message }] });
}

/**
 * Parses JSON so that `JSON.stringify` writes every number as it was: one that would change is kept as raw text.
 * Such numbers are marked in the text first, since a reviver of `JSON.parse` with source access takes five times as long.
 * @throws SyntaxError; RangeError for a value that is nested deeper than the stack goes
 */
export function parseExact(text: string): unknown {
  return allAtOnce(parseExactInSteps(text));
}

/** The same in steps, between which others may have a turn of the event loop. */
export function* parseExactInSteps(text: string): Steps<unknown> {
  const value: unknown = JSON.parse(text); // also where it may change: what is no JSON may have a number in each two bytes
  if (!MAY_CHANGE.test(text)) return value;
  yield;
  const marked = text.replace(TOKEN, mark);
  yield;
  const parsed: unknown = JSON.parse(marked);
  yield;
  return restore(parsed);
}

/** Work on a large text, which may pause wherever it yields. */
export type Steps<T> = Generator<undefined, T>;

/** The result of work that does not pause. */
export function allAtOnce<T>(steps: Steps<T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

function mark(token: string): string {
  return token.startsWith('"') || String(Number(token)) === token ? token : `"${MARK}${token}"`;
}

/** Puts numbers in the places of their marks, in the value itself. */
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
