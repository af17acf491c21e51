import { Is } from '../../errors/validate.js';

/**
 * True if every database can store the text and be queried for it: PostgreSQL allows no NUL in text, and UTF-8 no lone
 * surrogate.
 */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** A text that every database can store. */
export const IsStorable = (message = 'must be a string, given once') =>
  Is((value) => typeof value === 'string' && isStorable(value), message);

/** `Date.parse` reads a year out of any text that ends with a number. */
const TIME = /^\d{4}(-\d\d[-+\d:. TZ]*)?$/i;

/** A time in ISO 8601; `timeOf` reads it. */
export const IsTime = () =>
  Is(
    (value) => typeof value === 'string' && TIME.test(value) && Date.parse(value) >= 0,
    'must be a time in ISO 8601',
  );

/** Epoch milliseconds of a valid time; undefined where none is given. */
export function timeOf(text: string | undefined): number | undefined {
  return text ? Date.parse(text) : undefined;
}
