import { isIP } from 'node:net';
import { isQuoted, QUOTED } from './text-fault.js';
import { isLoopbackHost } from './url-forms.js';

/**
 * The value that a setting's text stands for, or what is wrong with the text. Never repeats the text: it may be a
 * secret.
 */
export type Reading<T> = { readonly value: T } | { readonly fault: string };

/** What is declared of a setting besides how its text is read. */
interface Options<D> {
  /** Value when the variable is unset; `undefined` where the setting may be absent. */
  readonly fallback: D;
  /** How the documentation writes the default; as it is, unless given. */
  readonly fallbackText?: string;
  /** A secret is never printed. */
  readonly secret?: boolean;
  /** True if its text may contain line breaks, and spaces around it. */
  readonly hasLines?: boolean;
  /** One or two sentences for the documentation. */
  readonly text: string;
}

/** One row of the settings table. */
export interface Setting<T> extends Required<Options<T>> {
  /** The values that it takes, with the unit. */
  readonly form: string;
  /** Reads the text of the environment variable. */
  readonly parse: (text: string) => Reading<T>;
}

/** A row whose text is read by `parse`; `form` is for the documentation. */
export function setting<T, D>(
  form: string,
  parse: (text: string) => Reading<T>,
  options: Options<D>,
): Setting<T | D> {
  const fallbackText = defaultText(options.fallback);
  return { form, parse, fallbackText, secret: false, hasLines: false, ...options };
}

function defaultText(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(' ');
  return value === undefined ? 'none' : `${value as string | number | boolean}`;
}

/**
 * Reads each part of a list, which has one; the fault names every part that is wrong by its place, as `item 2 …`. A list
 * of nothing is a mistake: no audience, say, would be every audience.
 */
export function readParts<T>(
  parts: readonly string[],
  name: string,
  read: (part: string) => Reading<T>,
): Reading<readonly T[]> {
  if (parts.length === 0) return { fault: `has no ${name}; leave it out, or name one` };
  const readings = parts.map((part) => (isQuoted(part) ? { fault: QUOTED } : read(part)));
  const faults = readings.flatMap((reading, index) =>
    'fault' in reading ? [`${name} ${index + 1} ${reading.fault}`] : [],
  );
  if (faults.length > 0) return { fault: faults.join('; ') };
  return { value: readings.flatMap((reading) => ('value' in reading ? [reading.value] : [])) };
}

/** A name of a header or a cookie (RFC 9110 section 5.1, RFC 6265 section 4.1.1). */
export const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

/** The parts of a text between commas, without the spaces around them. */
export function splitByComma(raw: string): string[] {
  return raw.split(',').map((part) => part.trim());
}

/** Any non-empty text. */
export function text<D>(options: Options<D>): Setting<string | D> {
  return setting('text', (value) => ({ value }), options);
}

/** A text of one form. */
export function textLike<D>(form: string, expression: RegExp, options: Options<D>): Setting<string | D> {
  const parse = (value: string) => (expression.test(value) ? { value } : { fault: `must be a ${form}` });
  return setting<string, D>(form, parse, options);
}

/** A whole number from `min` to `max`, in `unit`. */
export function integer(min: number, max: number, unit: string, options: Options<number>): Setting<number> {
  const form = `whole number from ${min} to ${max}${unit && `, ${unit}`}`;
  const parse = (raw: string): Reading<number> => {
    const value = Number(raw);
    const valid = /^\d{1,15}$/.test(raw) && value >= min && value <= max;
    return valid ? { value } : { fault: `must be a ${form}` };
  };
  return setting(form, parse, options);
}

/** True if a listener can be bound to a text: no name but `localhost` is taken. */
export function isAddress(text: string): boolean {
  return isIP(text) !== 0 || text === 'localhost';
}

/** `true` or `false`. */
export function flag(options: Options<boolean>): Setting<boolean> {
  const parse = (raw: string): Reading<boolean> =>
    raw === 'true' || raw === 'false' ? { value: raw === 'true' } : { fault: 'must be true or false' };
  return setting('`true` or `false`', parse, options);
}

/** One of a fixed set of words. */
export function oneOf<const W extends string>(words: readonly W[], options: Options<NoInfer<W>>): Setting<W> {
  const parse = (raw: string): Reading<W> => {
    const value = words.find((word) => word === raw);
    return value === undefined ? { fault: `must be one of ${words.join(', ')}` } : { value };
  };
  return setting<W, W>(words.map((word) => `\`${word}\``).join(', '), parse, options);
}

/** Items separated by commas or white space, each of which `isItem` accepts. `forms` names them in the plural. */
export function list(
  forms: string,
  isItem: RegExp | ((item: string) => boolean),
  options: Options<readonly string[]>,
): Setting<readonly string[]> {
  const isValid = (item: string) => (isItem instanceof RegExp ? isItem.test(item) : isItem(item));
  const read = (value: string) =>
    isValid(value) ? { value } : { fault: `does not belong in a list of ${forms}` };
  return listOf<string>(`list of ${forms}`, read, options);
}

/** Values separated by commas or spaces, each read by itself. */
export function listOf<T>(
  form: string,
  read: (item: string) => Reading<T>,
  options: Options<readonly T[]>,
): Setting<readonly T[]> {
  const parse = (raw: string) => readParts(splitList(raw), 'item', read);
  return setting<readonly T[], readonly T[]>(form, parse, { ...options, hasLines: true });
}

/** The items of a list, which commas or spaces separate. */
export function splitList(raw: string): string[] {
  return raw.split(/[\s,]+/).filter((item) => item !== '');
}

/**
 * An absolute URL of one of `schemes`, without credentials or fragment; `http:` only to a loopback host, unless an option
 * says otherwise.
 * @param furtherFault what else is wrong with a URL
 */
export function url<D>(
  schemes: readonly string[],
  options: Options<D> & { readonly plainHttp?: boolean; readonly hasCredentials?: boolean },
  furtherFault: (value: URL) => string | undefined = () => undefined,
): Setting<URL | D> {
  return setting<URL, D>(
    `URL (${schemes.join(', ')})`,
    (raw) => {
      const value = URL.canParse(raw) ? new URL(raw) : undefined;
      if (!value || !schemes.includes(value.protocol.slice(0, -1))) {
        return { fault: `must be an absolute URL with scheme ${schemes.join(' or ')}` };
      }
      if (value.protocol === 'http:' && !options.plainHttp && !isLoopbackHost(value.hostname)) {
        return { fault: 'must be https: plain http is accepted for a loopback host only' };
      }
      const credentials = options.hasCredentials ? '' : value.username + value.password;
      if (value.protocol.startsWith('http') && (credentials || value.hash)) {
        return { fault: 'must not hold credentials or a fragment' };
      }
      const fault = furtherFault(value);
      return fault === undefined ? { value } : { fault };
    },
    options,
  );
}
