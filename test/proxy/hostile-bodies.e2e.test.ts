import { folderOf } from '../support/machine.js';
import { askToken, type Json } from '../support/start-stack.js';
import { expectShortTurns } from '../support/until.js';
import { BANKSIA, useScriptedStack } from './proxy-stack.js';

const OPERATIONS_DIR = folderOf({
  'bound.graphql':
    'query Bound($input: Input, $first: Int) @hirer(variable: "input.owner.hirerId") { ok(input: $input, first: $first) }',
});
const { upstream, stack } = useScriptedStack({ OPERATIONS_DIR });
beforeEach(() => upstream.reset());

const variablesOf = (value: string): string =>
  `{"query":"query ($n: Int) { ok(n: $n) }","variables":{"n":${value}}}`;

test.each([
  ['the extensions', 1, (value: string) => `{"query":"{ ok }","extensions":${value}}`],
  ['a variable', 2, variablesOf],
  [
    'the holder of a bound variable',
    3,
    (value: string) => `{"documentId":"Bound","variables":{"input":{"owner":${value}}}}`,
  ],
])('a request of 32 levels is read, and one of 33 is refused before any call: %s', async (_, around, of) => {
  const at = (levels: number): string =>
    of(`${'{"a":'.repeat(levels - around)}1${'}'.repeat(levels - around)}`);
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
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, 1]));
    const long = { ['x'.repeat(500_000)]: 1, ...BODY };
    for (const body of [many(5_000), many(80_000), long]) {
      const answer = await askToken(stack, stack.amelia, body);
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
      expect(answer.text.length).toBeLessThan(4_000);
    }
  });
});
