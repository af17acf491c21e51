/** What the parser adds for a reviver, and how a number is kept as its text (ECMA-262, JSON.parse source text access). */
interface ExactJson {
  parse(text: string, revive: (key: string, value: unknown, source: { source?: string }) => unknown): unknown;
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
}

const EXACT = JSON as unknown as ExactJson;
const MAY_HOLD_A_NUMBER = /(?:^|[:,[])\s*-?\d/;

/** Parses JSON so that `JSON.stringify` gives every number back as it was written, 9007199254740993 included. */
export function parseExactJson(text: string): unknown {
  return MAY_HOLD_A_NUMBER.test(text) ? EXACT.parse(text, keepNumber) : JSON.parse(text);
}

function keepNumber(_key: string, value: unknown, { source }: { source?: string }): unknown {
  const altered = typeof value === 'number' && source !== undefined && String(value) !== source;
  return altered ? EXACT.rawJSON(source) : value;
}

/** Whether a parsed value is a number that was kept as its text. */
export function isKeptNumber(value: unknown): boolean {
  return EXACT.isRawJSON(value);
}
