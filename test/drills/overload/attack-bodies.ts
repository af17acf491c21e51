const MANY = 480;
const LONG_NAME = 'n'.repeat(1_000);
const SCRUBBED = 'eyJ-'.repeat(25_000);

const args = Array.from({ length: MANY }, (_, n) => `a${n}:1`).join(' ');

/** A text of many operations and a fragment of many arguments; each number makes another. */
export function dearText(n: number): string {
  return `${'{a}'.repeat(MANY)} query Q{...F} fragment F on T${n}{f(${args})}`;
}

/** An array of such texts, 43 kB. */
export function dearTexts(n: number): string {
  const items = Array.from({ length: 10 }, (_, index) => dearText(n * 10 + index));
  return JSON.stringify(items.map((query) => ({ query, operationName: 'Q' })));
}

/** A `version` request with empty members without number at the end of a chain of long names. */
export function emptyMembers(levels: number, count: number): string {
  const empty = Array.from({ length: count }, (_, n) => `"e${n}":null`).join(',');
  const open = `{"${LONG_NAME}":`.repeat(levels);
  return `{"query":"{ version }","variables":{"v":${open}{${empty}}${'}'.repeat(levels)}}}`;
}

/** A `version` request whose broken rule has a name that a scrubber may try again and again; with a token in it. */
export function scrubbedName(token: string): string {
  return `{"query":"{ version }","variables":{"v":{"${SCRUBBED}":null,"Bearer ${token}":null}}}`;
}

/** Headers of the same kind. */
export function scrubbedHeaders(token: string): Record<string, string> {
  const text = SCRUBBED.slice(0, 4_000);
  return {
    'accept-language': text,
    'x-request-id': token,
    'x-session-id': `Bearer ${token}`,
    traceparent: text,
  };
}

const VALUES = [
  '1'.repeat(401),
  '1E400',
  '1.50',
  '9007199254740993',
  '"\\ud800"',
  '"\\u0000"',
  '{"__proto__":null}',
  '{"constructor":null,"toJSON":{},"hasOwnProperty":1.0}',
  '{"rawJSON":"1.50"}',
  `${'{"a":['.repeat(30)}1.50${']}'.repeat(30)}`,
  `${'{"a":['.repeat(20_000)}1.50${']}'.repeat(20_000)}`,
  'null',
];
const ITEMS: readonly ((value: string) => string)[] = [
  (value) => value,
  (value) => `{"query":"query ($n: Int) { ok(n: $n) }","variables":{"n":${value}}}`,
  (value) => `{"query":"{ ok }","extensions":${value}}`,
  (value) => `{"query":${value}}`,
  (value) => `{"documentId":"Hirer","variables":${value}}`,
  (value) => `{"documentId":"RecordApplicationStep","variables":{"input":${value}}}`,
  (value) => `{"query":"{ ok }","operationName":${value}}`,
];

/** An array with one item that is hard to read. */
export function hostileJson(n: number): string {
  const item = ITEMS[n % ITEMS.length]!(VALUES[Math.floor(n / ITEMS.length) % VALUES.length]!);
  return `[{"query":"{ ok }"},${item}]`;
}

const members = Array.from({ length: 80_000 }, (_, n) => `"m${n}":1`).join(',');

/** Bodies of `/auth/token` with members that are not known. */
export const UNKNOWN_MEMBERS = [
  '{"constructor":null}',
  '{"__proto__":{"toString":1}}',
  `{${members}}`,
] as const;
