declare global {
  interface JSON {
    /** A value that `JSON.stringify` writes as `text` stands (ECMAScript, JSON.parse source text access). */
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
    ): unknown;
  }
}

/** A number that JavaScript may not write as it was read: more than 15 digits, a fraction, an exponent. */
const DELICATE = /\d{16}|\d[.eE]|-0/;

/**
 * Parses JSON so that `JSON.stringify` gives every number back as it stood: one that would change is kept as raw text.
 * @throws SyntaxError
 */
export function parseExact(text: string): unknown {
  if (!DELICATE.test(text)) return JSON.parse(text) as unknown;
  return JSON.parse(text, (_name, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source
      ? JSON.rawJSON(source)
      : value,
  );
}
