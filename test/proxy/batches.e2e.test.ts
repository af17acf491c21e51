import type { Json } from '../support/start-stack.js';
import { useScriptedStack } from './proxy-stack.js';
import { unauthenticated } from '../support/scripted-upstream.js';

const query = (name: string, variables?: object) => ({ query: `query ${name} { ok }`, variables });
const mutation = (name: string) => ({ query: `mutation ${name} { ok }` });
const nameOf = (operation: Json): string => /(?:query|mutation) (\w+)/.exec(operation.query)![1]!;

describe.each(['array', 'fanout'])('arrays with UPSTREAM_BATCHING=%s', (mode) => {
  const { stack, upstream } = useScriptedStack({ UPSTREAM_BATCHING: mode, UPSTREAM_TIMEOUT_MS: '1500' });
  beforeEach(async () => {
    upstream.reset();
    await stack.freshToken();
    upstream.reset();
  });

  const echo = (operation: Json): string => JSON.stringify({ data: { name: nameOf(operation) } });
  const namesExecuted = (): string[] => upstream.executed.map(({ operation }) => nameOf(operation));

  test('answers are in the order of the items, with the number of calls of the mode', async () => {
    upstream.script = echo;
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const { status, body } = await stack.ask(names.map((name) => query(name)));
    expect(status).toBe(200);
    expect(body.map(({ data }: Json) => data.name)).toEqual(names);
    expect(upstream.calls).toHaveLength(mode === 'array' ? 1 : names.length);
  });

  test('a failed item is an error in its place, and the others run once', async () => {
    upstream.script = echo;
    const items = [
      query('a'),
      null,
      7,
      {},
      { query: '{' },
      { documentId: 'none' },
      mutation('m'),
      query('b'),
    ];
    const { status, body } = await stack.ask(items);
    expect(status).toBe(200);
    expect(body.map((item: Json) => item.data?.name ?? item.errors[0].extensions.code)).toEqual([
      'a',
      ...Array.from({ length: 5 }, () => 'BAD_USER_INPUT'),
      'm',
      'b',
    ]);
    expect(namesExecuted().sort()).toEqual(['a', 'b', 'm']);
  });

  test('bytes pass unchanged in both directions', async () => {
    upstream.script = () => '{"data":{"n":9007199254740993,"f":1.10,"s":"\\u00e9"},"extensions":{"x":1e2}}';
    const item = '{"query":"query a { ok }","variables":{"n":9007199254740993,"f":1.10}}';
    const { text } = await stack.ask(`[${item},${item.replace('query a', 'query b')}]`);
    expect(text).toBe(
      `[${upstream.script({}, undefined as never)},${upstream.script({}, undefined as never)}]`,
    );
    expect(upstream.calls.map(({ raw }) => raw).join()).toContain(item);
  });

  test('fifty arrays at once that meet an expired token share one mint', async () => {
    const expired = `Bearer token-${upstream.mints}`;
    const before = upstream.mints;
    upstream.script = (operation, call) =>
      call.headers.authorization === expired ? unauthenticated() : echo(operation);
    const arrays = Array.from({ length: 50 }, (_, index) => [query(`a${index}`), query(`b${index}`)]);
    const answers = await Promise.all(arrays.map((array) => stack.ask(array)));
    expect(answers.every(({ body }) => body.every(({ data }: Json) => data))).toBe(true);
    expect(upstream.mints - before).toBe(1);
  });

  const outcomesOf = (body: Json): string[] =>
    body.map((item: Json) => item.data?.name ?? item.errors[0].extensions.code);

  test('an item that hangs fails those that were sent with it, and only those', async () => {
    const expired = `Bearer token-${upstream.mints}`;
    upstream.script = (operation, call) => {
      if (nameOf(operation) === 'hangs') return 'hang';
      const refused = nameOf(operation) === 'expired' && call.headers.authorization === expired;
      return refused ? unauthenticated() : echo(operation);
    };
    const names = ['a', 'b', 'hangs', 'c', 'expired', 'd', 'e', 'f', 'g'];
    const { status, body } = await stack.ask([...names.map((name) => query(name)), { query: '{' }]);
    expect(status).toBe(200);
    const isLate = (name: string): boolean => mode === 'array' || name === 'hangs';
    const outcomes = names.map((name) => (isLate(name) ? 'UPSTREAM_TIMEOUT' : name));
    expect(outcomesOf(body)).toEqual([...outcomes, 'BAD_USER_INPUT']);
  });

  test('a mutation beside one that hangs is sent once', async () => {
    upstream.script = (operation) => (nameOf(operation) === 'hangs' ? 'hang' : echo(operation));
    const { body } = await stack.ask([mutation('m'), query('hangs'), query('b')]);
    const others = mode === 'array' ? ['UPSTREAM_TIMEOUT', 'UPSTREAM_TIMEOUT'] : ['m', 'b'];
    expect(outcomesOf(body)).toEqual([others[0], 'UPSTREAM_TIMEOUT', others[1]]);
    expect(namesExecuted().filter((name) => name === 'm')).toHaveLength(1);
  });
});
