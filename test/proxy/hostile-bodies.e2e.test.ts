import { folderOf } from '../support/folders.js';
import { askToken, type Json } from '../support/ask-token.js';
import { expectShortTurns } from '../support/longest-turn.js';
import { BANKSIA, useProxyStack } from './proxy-stack.js';
import { useScriptedUpstream } from './scripted-upstream.js';

const upstream = useScriptedUpstream();
const OPERATIONS_DIR = folderOf({
  'bound.graphql':
    'query Bound($input: Input, $first: Int) @hirer(variable: "input.owner.hirerId") { ok(input: $input, first: $first) }',
});
const stack = useProxyStack(() => ({ UPSTREAM_URL: upstream.url, OPERATIONS_DIR }));
beforeEach(() => upstream.reset());

const GOOD = '{"query":"query ($n: Int) { ok(n: $n) }","variables":{"n":2.50}}';
const nested = (levels: number, inner: string): string =>
  `${'{"a":['.repeat(levels / 2)}${inner}${']}'.repeat(levels / 2)}`;

/** Values that are JSON, or nearly, and that have broken parsers before. */
const VALUES: Record<string, string> = {
  'a number of 401 digits': '1'.repeat(401),
  'a number of 10,000 digits': '1'.repeat(10_000),
  'an exponent out of range': '1E400',
  'minus zero': '-0',
  'a fraction that ends in zero': '1.50',
  'an integer above 2^53': '9007199254740993',
  'a lone surrogate': '"\\ud800"',
  'a NUL': '"\\u0000"',
  'a member __proto__': '{"__proto__":{"a":1.50}}',
  'a member __proto__ that is null': '{"__proto__":null}',
  'a member constructor': '{"constructor":null,"hasOwnProperty":1.0,"toString":"","toJSON":{}}',
  'a member rawJSON': '{"rawJSON":"1.50"}',
  'repeated members': '{"a":1,"a":1.50,"\\u0061":null}',
  'an empty name': '{"":{"":[{"":1.0}]}}',
  'nested as deep as accepted': nested(30, '1.50'),
  'nested deeper than accepted': nested(200, '1.50'),
  'nested without end': nested(40_000, '1.50'),
  'a text': '"x"',
  null: 'null',
  'an empty list': '[]',
};

/** Places of a value in a request. */
const PLACES: Record<string, (value: string) => string> = {
  'the item itself': (value) => value,
  'a variable': (value) => `{"query":"query ($n: Int) { ok(n: $n) }","variables":{"n":${value}}}`,
  'the variables': (value) => `{"query":"{ ok }","variables":${value}}`,
  'the text': (value) => `{"query":${value}}`,
  'the extensions': (value) => `{"query":"{ ok }","extensions":${value}}`,
  'a persisted query': (value) => `{"extensions":{"persistedQuery":${value}}}`,
  'its hash': (value) => `{"extensions":{"persistedQuery":{"sha256Hash":${value}}}}`,
  'the extensions of a registered operation': (value) => `{"documentId":"Bound","extensions":${value}}`,
  'the variables of a registered operation': (value) => `{"documentId":"Bound","variables":${value}}`,
  'the holder of a bound variable': (value) => `{"documentId":"Bound","variables":{"input":${value}}}`,
  'the next holder': (value) => `{"documentId":"Bound","variables":{"input":{"owner":${value}}}}`,
  'the bound variable': (value) =>
    `{"documentId":"Bound","variables":{"input":{"owner":{"hirerId":${value}}}}}`,
  'a variable with a ceiling': (value) => `{"documentId":"Bound","variables":{"first":${value}}}`,
  'the name of the operation': (value) => `{"query":"{ ok }","operationName":${value}}`,
  'an identifier': (value) => `{"documentId":${value}}`,
  'a member of no meaning': (value) => `{"query":"{ ok }","__proto__":${value},"constructor":${value}}`,
};

/** Each value as a variable, and in each place one of them; test/fuzz/bodies makes the others. */
const ITEMS = [
  ...Object.entries(VALUES).map(
    ([name, value]) => [name, 'a variable', PLACES['a variable']!(value)] as const,
  ),
  ...Object.entries(PLACES).map(([place, toItem], index) => {
    const [name, value] = Object.entries(VALUES)[index]!;
    return [name, place, toItem(value)] as const;
  }),
];

test.each(ITEMS)(
  '%s as %s causes no fault of ours, and does not affect other items',
  async (_name, _place, item) => {
    const single = await stack.ask(item);
    expect([single.status < 500, single.text]).toEqual([true, expect.stringMatching(/"(data|errors)"/)]);
    const array = await stack.ask(`[${GOOD},${item},${GOOD}]`);
    expect([array.status, array.body.length]).toEqual([200, 3]);
    for (const place of [0, 2]) expect(array.body[place]).toEqual({ data: { ok: true } });
    const code: unknown = array.body[1].errors?.[0].extensions.code;
    expect(['BAD_USER_INPUT', 'FORBIDDEN', 'PERSISTED_QUERY_NOT_FOUND', undefined]).toContain(code);
    for (const { raw } of upstream.calls.filter(({ body }) => Array.isArray(body))) {
      expect(raw.split(GOOD)).toHaveLength(3);
    }
  },
);

test.each([
  ['the extensions', 1],
  ['a variable', 2],
  ['the next holder', 3],
])('a request of 32 levels is read, and one of 33 is refused before any call: %s', async (place, around) => {
  const at = (levels: number): string =>
    PLACES[place]!(`${'{"a":'.repeat(levels - around)}1${'}'.repeat(levels - around)}`);
  expect((await stack.ask(at(32))).text).not.toContain('nested too deeply');
  const calls = upstream.calls.length;
  const refused = await stack.ask(at(33));
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('nested too deeply')]);
  expect(upstream.calls.length).toBe(calls);
});

test.each([
  ['a byte order mark', '\ufeff{"query":"{ ok }"}'],
  ['a NUL after the body', '{"query":"{ ok }"}\u0000'],
  ['brackets without end', '['.repeat(1_000_000)],
  ['a number of 1,000,000 digits', '1'.repeat(1_000_000)],
  ['an array of it', `[${'1'.repeat(1_000_000)}]`],
  ['a text that is one long name', JSON.stringify({ query: `{ a } ${'x'.repeat(150_000)}` })],
  ['a fragment of a long name', JSON.stringify({ query: `{ ...${'x'.repeat(150_000)} }` })],
  ['a long operationName', JSON.stringify({ query: '{ ok }', operationName: 'x'.repeat(900_000) })],
  ['an unknown variable of a long name', `{"documentId":"Bound","variables":{"${'x'.repeat(900_000)}":1}}`],
])('%s is refused with a short answer', async (_, body) => {
  const answer = await stack.ask(body);
  expect(answer.status).toBeLessThan(500);
  expect(answer.text.length).toBeLessThan(1_000);
});

describe('a body of a megabyte that is many values', () => {
  const members = JSON.stringify(
    Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`k${index}`, 1])),
  );
  const fractions = `[${'1.0,'.repeat(250_000)}1]`;
  const brackets = '['.repeat(450_000) + ']'.repeat(450_000);
  const large = { members, fractions, brackets };

  test.each(Object.entries(large))('%s: holds the event loop for less than 50 ms', async (_, value) => {
    const bodies = ['query":"{ ok }', 'documentId":"Bound'].map((start) => {
      return `{"${start}","variables":{"input":${value}}}`;
    });
    const answers: { status: number; text: string }[] = [];
    await expectShortTurns(async () => {
      for (const body of bodies) answers.push(await stack.ask(body));
    });
    await expectShortTurns(async () => {
      const { status } = await askToken(stack, stack.amelia, `{"hirerId":${value}}`);
      expect(status).toBe(400);
    });
    for (const { status, text } of answers) {
      expect([status, text]).toEqual([400, expect.stringContaining('more than 10000 values')]);
    }
  });

  test('so does an array of half a million items', async () => {
    await expectShortTurns(async () => {
      const { status } = await stack.ask(`[${'1,'.repeat(500_000)}1]`);
      expect(status).toBe(413);
    });
  });

  test('the items of an array have them together, and the one that goes beyond fails alone', async () => {
    const item = (count: number) => `{"query":"{ ok }","variables":{"n":[${'1.0,'.repeat(count)}1]}}`;
    const { status, body } = await stack.ask(`[${[item(6_000), item(6_000), item(3_000)].join(',')}]`);
    expect(status).toBe(200);
    expect(body.map((one: Json) => one.data ?? one.errors[0].extensions.code)).toEqual([
      { ok: true },
      'BAD_USER_INPUT',
      { ok: true },
    ]);
  });

  test('one long text is one value', async () => {
    const text = JSON.stringify('[{,"\\'.repeat(100_000));
    const { body } = await stack.ask(`{"query":"{ ok }","variables":{"n":${text}}}`);
    expect(body).toEqual({ data: { ok: true } });
  });
});

describe('POST /auth/token', () => {
  const BODY = { hirerId: BANKSIA, scope: 'query:organizations' };
  test('a large number of unknown members with long names gets a short answer', async () => {
    const many = Object.fromEntries(Array.from({ length: 80_000 }, (_, index) => [`m${index}`, 1]));
    const long = { ['x'.repeat(500_000)]: 1, ...BODY };
    for (const body of [many, long]) {
      const answer = await askToken(stack, stack.amelia, body);
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
      expect(answer.text.length).toBeLessThan(4_000);
    }
  });
});
