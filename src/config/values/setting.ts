import { isIP } from 'node:net';
import { isQuoted, QUOTED } from './text-fault.js';
import { isLoopbackHost } from './url-forms.js';

/**
 * The value that a setting's text stands for, or what is wrong with the text. Never repeats the text: it may be a
 * secret.
 */
export type Reading<T> = { readonly value: T } | { readonly fault: string };

/** What is declared of a setting besides how its text is read. */
interface SettingOptions<D> {
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
export interface Setting<T> extends Required<SettingOptions<T>> {
  /** The values that it takes, with the unit. */
  readonly form: string;
  /** Reads the text of the environment variable. */
  readonly parse: (text: string) => Reading<T>;
}

/** A row whose text is read by `parse`; `form` is for the documentation. */
export function setting<T, D>(
  form: string,
  parse: (text: string) => Reading<T>,
  options: SettingOptions<D>,
): Setting<T | D> {
  const fallbackText = defaultText(options.fallback);
  return { form, parse, fallbackText, secret: false, hasLines: false, ...options };
}

function defaultText(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(' ');
  return value === undefined ? 'none' : `${value as string | number | boolean}`;
}

/** Reads each part of a list; the fault names every part that is wrong by its place, as `item 2 …`. */
export function readParts<T>(
  parts: readonly string[],
  name: string,
  read: (part: string) => Reading<T>,
): Reading<readonly T[]> {
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
export function text<D>(options: SettingOptions<D>): Setting<string | D> {
  return setting('text', (value) => ({ value }), options);
}

/** A text of one form. */
export function textLike<D>(
  form: string,
  expression: RegExp,
  options: SettingOptions<D>,
): Setting<string | D> {
  return setting<string, D>(
    form,
    (value) => (expression.test(value) ? { value } : { fault: `must be a ${form}` }),
    options,
  );
}

/** A whole number from `min` to `max`, in `unit`. */
export function integer<D>(
  min: number,
  max: number,
  unit: string,
  options: SettingOptions<D>,
): Setting<number | D> {
  const form = `whole number from ${min} to ${max}${unit && `, ${unit}`}`;
  return setting<number, D>(
    form,
    (raw) => {
      const value = Number(raw);
      const valid = /^\d{1,15}$/.test(raw) && value >= min && value <= max;
      return valid ? { value } : { fault: `must be a ${form}` };
    },
    options,
  );
}

/** True if a listener can be bound to a text: no name but `localhost` is taken. */
export function isAddress(text: string): boolean {
  return isIP(text) !== 0 || text === 'localhost';
}

/** `true` or `false`. */
export function flag(options: SettingOptions<boolean>): Setting<boolean> {
  return setting<boolean, boolean>(
    '`true` or `false`',
    (raw) =>
      raw === 'true' || raw === 'false' ? { value: raw === 'true' } : { fault: 'must be true or false' },
    options,
  );
}

/** One of a fixed set of words. */
export function oneOf<const W extends string>(
  words: readonly W[],
  options: SettingOptions<NoInfer<W>>,
): Setting<W> {
  const form = words.map((word) => `\`${word}\``).join(', ');
  return setting<W, W>(
    form,
    (raw) => {
      const value = words.find((word) => word === raw);
      return value === undefined ? { fault: `must be one of ${words.join(', ')}` } : { value };
    },
    options,
  );
}

/** Items separated by commas or white space, each of which `isItem` accepts. `forms` names them in the plural. */
export function list(
  forms: string,
  isItem: RegExp | ((item: string) => boolean),
  options: SettingOptions<readonly string[]>,
): Setting<readonly string[]> {
  const isValid = isItem instanceof RegExp ? (item: string) => isItem.test(item) : isItem;
  const read = (value: string) =>
    isValid(value) ? { value } : { fault: `does not belong in a list of ${forms}` };
  return listOf<string>(`list of ${forms}`, read, options);
}

/** Values separated by commas or spaces, each read by itself. */
export function listOf<T>(
  form: string,
  read: (item: string) => Reading<T>,
  options: SettingOptions<readonly T[]>,
): Setting<readonly T[]> {
  const parse = (raw: string) => readParts(splitList(raw), 'item', read);
  return setting<readonly T[], readonly T[]>(form, parse, { ...options, hasLines: true });
}

/** The items of a list, which commas or spaces separate. */
export function splitList(raw: string): string[] {
  return raw.split(/[\s,]+/).filter((item) => item !== '');
}

interface UrlOptions<D> extends SettingOptions<D> {
  /** Plain `http:` is accepted for any host. */
  readonly plainHttp?: boolean;
}

/**
 * An absolute URL of one of `schemes`, without credentials or fragment; `http:` only to a loopback host, unless an option
 * says otherwise.
 * @param furtherFault what else is wrong with a URL
 */
export function url<D>(
  schemes: readonly string[],
  options: UrlOptions<D>,
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
      if (value.protocol.startsWith('http') && (value.username || value.password || value.hash)) {
        return { fault: 'must not hold credentials or a fragment' };
      }
      const fault = furtherFault(value);
      return fault === undefined ? { value } : { fault };
    },
    options,
  );
}
