/** What a setting's text was read as, or what is wrong with it. Never repeats the text: it may be a secret. */
export type Reading<T> = { readonly value: T } | { readonly fault: string };

/** One row of the settings table. */
export interface Setting<T> {
  /** Reads the text of the environment variable. */
  readonly parse: (text: string) => Reading<T>;
  /** Value when the variable is unset; `undefined` where the setting may be absent. */
  readonly fallback: T;
  /** How the documentation writes the default. */
  readonly fallbackText: string;
  /** What values it takes, with the unit. */
  readonly form: string;
  /** A secret is never printed, and may be read from a file named by `<NAME>_FILE`. */
  readonly secret: boolean;
  /** One or two sentences for the documentation. */
  readonly text: string;
}

interface Options<D> {
  readonly fallback: D;
  readonly text: string;
  /** Written instead of the default's own value in the documentation. */
  readonly fallbackText?: string;
  readonly secret?: boolean;
}

function setting<T, D>(
  form: string,
  parse: (text: string) => Reading<T>,
  options: Options<D>,
): Setting<T | D> {
  return {
    parse,
    form,
    fallback: options.fallback,
    fallbackText: options.fallbackText ?? defaultText(options.fallback),
    secret: options.secret ?? false,
    text: options.text,
  };
}

function defaultText(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(' ');
  return value === undefined ? 'none' : `${value as string | number | boolean}`;
}

/** Any non-empty text. */
export function text<D>(options: Options<D>): Setting<string | D> {
  return setting('text', (value) => ({ value }), options);
}

/** A whole number from `min` to `max`, in `unit`. */
export function integer<D>(
  bounds: { min: number; max: number; unit: string },
  options: Options<D>,
): Setting<number | D> {
  const { min, max, unit } = bounds;
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

/** A TCP port; 0 takes any free one. */
export function port<D>(options: Options<D>): Setting<number | D> {
  return integer({ min: 0, max: 65_535, unit: '' }, options);
}

/** One of a fixed set of words. */
export function oneOf<const W extends string>(words: readonly W[], options: Options<NoInfer<W>>): Setting<W> {
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

/** A text of one form. */
export function textLike<D>(form: string, expression: RegExp, options: Options<D>): Setting<string | D> {
  return setting<string, D>(
    form,
    (value) => (expression.test(value) ? { value } : { fault: `must be a ${form}` }),
    options,
  );
}

const HEADER_PAIR = /^([\w!#$%&'*+.^`|~-]+)\s*=\s*([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)$/;

/** Headers as `name=value` pairs separated by commas (OpenTelemetry, `OTEL_EXPORTER_OTLP_HEADERS`). */
export function headers(
  options: Options<Readonly<Record<string, string>>>,
): Setting<Readonly<Record<string, string>>> {
  return setting<Readonly<Record<string, string>>, Readonly<Record<string, string>>>(
    '`name=value`, separated by commas',
    (raw) => {
      const pairs = raw.split(',').map((pair) => HEADER_PAIR.exec(pair.trim()));
      const bad = pairs.indexOf(null);
      if (bad >= 0) return { fault: `pair ${bad + 1} must be written as name=value` };
      return { value: Object.fromEntries(pairs.map((pair) => [pair![1]!, pair![2]!])) };
    },
    options,
  );
}

/** A regular expression, compiled. */
export function pattern(options: Options<RegExp>): Setting<RegExp> {
  return setting<RegExp, RegExp>(
    'regular expression',
    (raw) => {
      try {
        return { value: new RegExp(raw) };
      } catch {
        return { fault: 'must be a regular expression' };
      }
    },
    options,
  );
}

/** `true` or `false`. */
export function flag(options: Options<boolean>): Setting<boolean> {
  return setting<boolean, boolean>(
    '`true` or `false`',
    (raw) =>
      raw === 'true' || raw === 'false' ? { value: raw === 'true' } : { fault: 'must be true or false' },
    options,
  );
}

/** Items separated by commas or white space, each matching `item`. */
export function list(
  form: string,
  item: RegExp,
  options: Options<readonly string[]>,
): Setting<readonly string[]> {
  return setting<readonly string[], readonly string[]>(
    `list of ${form}`,
    (raw) => {
      const value = raw.split(/[\s,]+/).filter((part) => part !== '');
      const bad = value.findIndex((part) => !item.test(part));
      return bad < 0 ? { value } : { fault: `item ${bad + 1} is not a valid ${form}` };
    },
    options,
  );
}

/** An absolute URL of one of `schemes`, without credentials or fragment; `http:` only to a loopback host. */
export function url<D>(schemes: readonly string[], options: Options<D>): Setting<URL | D> {
  return setting<URL, D>(
    `URL (${schemes.join(', ')})`,
    (raw) => {
      const value = URL.canParse(raw) ? new URL(raw) : undefined;
      if (!value || !schemes.includes(value.protocol.slice(0, -1))) {
        return { fault: `must be an absolute URL with scheme ${schemes.join(' or ')}` };
      }
      if (value.protocol === 'http:' && !isLoopbackHost(value.hostname)) {
        return { fault: 'must be https: plain http is accepted for a loopback host only' };
      }
      if (value.protocol.startsWith('http') && (value.username || value.password || value.hash)) {
        return { fault: 'must not hold credentials or a fragment' };
      }
      return { value };
    },
    options,
  );
}

/** Whether a URL's host name is this machine. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

const KEY_BYTES_MIN = 32;
const DISTINCT_CHARACTERS_MIN = 8;

/**
 * Keys of at least 32 bytes, newest first, the one before it after a comma. A key that is one repeated pattern or a
 * known sample is refused.
 */
export function keys(options: Options<readonly string[]>): Setting<readonly string[]> {
  return setting<readonly string[], readonly string[]>(
    `text of ${KEY_BYTES_MIN} bytes or more; the key before it may follow after a comma`,
    (raw) => {
      const value = raw.split(',').map((part) => part.trim());
      if (value.length > 2) return { fault: 'holds more than two keys' };
      const fault = value.map(weakness).find((found) => found !== undefined);
      return fault === undefined ? { value } : { fault };
    },
    { ...options, secret: true },
  );
}

/** What makes a key unfit, or undefined. */
export function weakness(key: string): string | undefined {
  if (Buffer.byteLength(key) < KEY_BYTES_MIN) return `must be at least ${KEY_BYTES_MIN} bytes of random text`;
  if (new Set(key).size < DISTINCT_CHARACTERS_MIN) {
    return 'is too regular to be random; make one with: openssl rand -base64 48';
  }
  if (/change.?me|replace.?me|your.?(key|secret)|example|password|placeholder/i.test(key)) {
    return 'looks like a sample; make one with: openssl rand -base64 48';
  }
  return undefined;
}
