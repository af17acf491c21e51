import type { Environment } from '../../src/config/load-config.js';
import { until } from '../support/until.js';
import { startProxyStack, type ProxyStack, codeOf } from './proxy-stack.js';
import { usePlayground } from '../playground/client.js';

const playground = usePlayground({ size: 1 });
let stack: ProxyStack;
const start = async (settings?: Environment): Promise<unknown> =>
  (stack = await startProxyStack(settings, playground));

const INLINED = { query: '{ jobCategory(id: "secret-value") { name } }' };
const GOOD = { query: 'query ($id: String!) { jobCategory(id: $id) { name } }', variables: { id: 'x' } };

describe('the rules of interface 4.3', () => {
  test('warn: a header and the log say what to do, without the value; the operation runs', async () => {
    await start();
    const answer = await stack.ask(INLINED);
    expect(answer.status).toBe(200);
    expect(answer.headers['x-operation-warnings']).toBe('jobCategory(id:) is inlined; pass it as a variable');
    await until(() => stack.logText().includes('jobCategory(id:) is inlined'));
    expect(stack.logText()).not.toContain('secret-value');
    expect((await stack.ask(GOOD)).headers['x-operation-warnings']).toBeUndefined();
    const array = await stack.ask([GOOD, INLINED]);
    expect(array.headers['x-operation-warnings']).toMatch(/^\[1\] jobCategory/);
  });

  test('warn: every answer has the header, and the line of its request in the log', async () => {
    await start();
    const texts = ['a', 'b', 'a', 'a'].map((name) => `query ${name} { jobCategory(id: "x") { name } }`);
    for (const query of texts) {
      expect((await stack.ask({ query })).headers['x-operation-warnings']).toMatch(/^jobCategory/);
    }
    await until(() => stack.logText().match(/jobCategory\(id:\) is inlined/g)?.length === 4);
  });

  test('enforce: refused before the upstream, with what to do', async () => {
    await start({ OPERATION_RULES: 'enforce' });
    const before = stack.calls('graphql');
    const inlined = await stack.ask(INLINED);
    expect([inlined.status, codeOf(inlined)]).toEqual([400, 'BAD_USER_INPUT']);
    expect(inlined.body.errors[0].message).toContain('pass it as a variable');
    const query =
      'query ($s: String!, $t: String!, $u: String!, $h: String, $f: Int) { locationSuggestions(schemeId: $s, text: $t, usageTypeCode: $u, hirerId: $h, first: $f) { location { name } } }';
    const required = { s: 'seekAnzPublicTest', t: 'x', u: 'PositionPosting' };
    for (const variables of [required, { ...required, h: null, f: 1 }, { ...required, h: '', f: 1 }]) {
      expect(codeOf(await stack.ask({ query, variables }))).toBe('BAD_USER_INPUT');
    }
    const nested = await stack.ask({
      query: 'query ($i: In!) { a(i: $i) }',
      variables: { i: { b: [{ c: null }], d: '' } },
    });
    expect(nested.body.errors[0].message).toBe(
      '$i.b[0].c is null; leave it out when it is not used | $i.d is an empty string; leave it out when it is not used',
    );
    expect(stack.calls('graphql')).toBe(before);
    expect((await stack.ask(GOOD)).status).toBe(200);
  });

  test('off: nothing is reported', async () => {
    await start({ OPERATION_RULES: 'off' });
    const answer = await stack.ask(INLINED);
    expect([answer.status, answer.headers['x-operation-warnings']]).toEqual([200, undefined]);
  });
});

describe('limits of free text', () => {
  test('tokens, depth, aliases and root fields are limited, also within fragments', async () => {
    await start({
      DOCUMENT_TOKENS_MAX: '500',
      DOCUMENT_DEPTH_MAX: '6',
    });
    const repeat = (count: number, text: (index: number) => string): string =>
      Array.from({ length: count }, (_, index) => text(index)).join(' ');
    const bad = [
      `{ ${repeat(600, () => 'a')} }`,
      `{ ${'a {'.repeat(7)} b ${'}'.repeat(7)} }`,
      '{ ...A } fragment A on Q { a { a { ...B } } } fragment B on Q { a { a { a { a { a } } } } }',
      `{ self { ${repeat(61, (index) => `t${index}: __typename`)} } }`,
      `{ ${repeat(30, () => 'self { ...F }')} } fragment F on S { x: hirer { y: name z: name } }`,
      `{ ${repeat(31, () => 'version')} }`,
      `{ ${repeat(11, () => '...R')} } fragment R on Query { version v: version self { hirer { name } } }`,
      '{ ...A } fragment A on Q { ...B } fragment B on Q { ...A }',
      '{ ...None }',
    ];
    const before = stack.calls('graphql');
    for (const query of bad) {
      expect([query, codeOf(await stack.ask({ query }))]).toEqual([query, 'BAD_USER_INPUT']);
    }
    expect(stack.calls('graphql')).toBe(before);
    const good = `{ ${repeat(28, (index) => `v${index}: version`)} version __typename }`;
    expect((await stack.ask({ query: good })).status).toBe(200);
  });

  test('a text that unfolds without end, or is huge, is refused at once', async () => {
    await start();
    const doubling = Array.from(
      { length: 40 },
      (_, n) => `fragment F${n} on Q { a: x { ...F${n + 1} } b: x { ...F${n + 1} } }`,
    );
    const hostile = [
      `{ ...F0 } ${doubling.join(' ')} fragment F40 on Q { x }`,
      `{ ${'a'.repeat(900_000)}(x: ${'['.repeat(50_000)} }`,
      `{ ${'a{'.repeat(400_000)}`,
      `#${'x'.repeat(900_000)}\n{ version }`,
      `{ version(x: "${'x'.repeat(900_000)}") }`,
    ];
    for (const query of hostile) {
      expect(codeOf(await stack.ask({ query }))).toBe('BAD_USER_INPUT');
    }
  });

  test('the introspection of common tools passes', async () => {
    await start();
    const { getIntrospectionQuery } = await import('graphql');
    const answer = await stack.ask({ query: getIntrospectionQuery({ inputValueDeprecation: true }) });
    expect(answer.body.data.__schema.types.length).toBeGreaterThan(10);
  });
});
