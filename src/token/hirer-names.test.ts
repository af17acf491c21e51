import { ExchangeFault, type IncomingAnswer } from '../http/outgoing/exchange.js';
import { RequestContext } from '../http/request-context.js';
import { HirerNames } from './hirer-names.js';

const context = RequestContext.background();

interface Body {
  readonly query: string;
  readonly variables: Record<string, string>;
}

/** An upstream whose answers the test decides. */
class NamingUpstream {
  calls = 0;
  gate: Promise<void> = Promise.resolve();
  answer = (ids: readonly string[], keys: readonly string[]): unknown => ({
    data: Object.fromEntries(ids.map((id, index) => [keys[index], { name: `Name of ${id}` }])),
  });

  async sendGraphql(body: string | Buffer): Promise<IncomingAnswer> {
    this.calls += 1;
    await this.gate;
    const { query, variables } = JSON.parse(String(body)) as Body;
    const keys = [...query.matchAll(/(\w+): hiringOrganization\(/g)].map(([, alias]) => alias!);
    const answer = this.answer(Object.values(variables), keys);
    return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(answer)) };
  }
}

function setUp(timeoutMs = 10_000) {
  const clock = { ms: 1_000_000 };
  const upstream = new NamingUpstream();
  const tokens = {
    drops: 0,
    renews: true,
    get: async () => `token-${tokens.drops}`,
    replace: async () => replace(),
  };
  const replace = (): boolean => {
    tokens.drops += 1;
    return tokens.renews;
  };
  const names = new HirerNames(upstream, tokens, { UPSTREAM_TIMEOUT_MS: timeoutMs }, () => clock.ms);
  return { clock, upstream, tokens, names };
}

const hirers = (count: number): string[] => Array.from({ length: count }, (_, index) => `hirer-${index}`);
const unauthenticated = () => ({ data: null, errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });

test('names are asked for once, twenty in a call, however many want them', async () => {
  const { upstream, names } = setUp();
  const ids = hirers(200);
  const requests = await Promise.all(Array.from({ length: 30 }, () => names.of(ids, context)));
  for (const answer of requests) expect(answer).toEqual(ids.map((id) => `Name of ${id}`));
  expect(upstream.calls).toBe(10);
  await names.of(ids, context);
  expect(upstream.calls).toBe(10);
});

test('two hirers are not one whose id has a space between theirs', async () => {
  const { names } = setUp();
  const [one, two] = await Promise.all([names.of(['a b'], context), names.of(['a', 'b'], context)]);
  expect([one, two]).toEqual([['Name of a b'], ['Name of a', 'Name of b']]);
});

test('one deadline covers all names of a request, and none is asked for after it', async () => {
  const { upstream, names } = setUp(50);
  upstream.gate = new Promise(() => undefined);
  expect(await names.of(hirers(1_000), context)).toEqual(hirers(1_000).map(() => null));
  expect(upstream.calls).toBe(1);
});

test('an upstream that fails is not asked during a pause, by any request', async () => {
  const { clock, upstream, names } = setUp();
  upstream.gate = Promise.reject(new ExchangeFault('connection'));
  await names.of(hirers(1_000), context);
  for (let request = 0; request < 50; request += 1) await names.of([`other-${request}`], context);
  expect(upstream.calls).toBe(1);
  upstream.gate = Promise.resolve();
  clock.ms += 5_001;
  expect(await names.of(['other'], context)).toEqual(['Name of other']);
});

test('an upstream that refuses one hirer is asked for others', async () => {
  const { clock, upstream, names } = setUp();
  const { answer } = upstream;
  const refusal = {
    errors: [{ message: 'No such id.', extensions: { code: 'BAD_USER_INPUT' } }],
    data: null,
  };
  upstream.answer = (ids, keys) => (ids[0] === 'strange' ? refusal : answer(ids, keys));
  expect(await names.of(['strange'], context)).toEqual([null]);
  expect(await names.of(['hirer'], context)).toEqual(['Name of hirer']);
  expect(await names.of(['strange'], context)).toEqual([null]);
  expect(upstream.calls).toBe(2);
  clock.ms += 30_001;
  await names.of(['strange'], context);
  expect(upstream.calls).toBe(3);
});

test('a refused token is replaced once; refused again, or not replaced, the names are null', async () => {
  const { clock, upstream, tokens, names } = setUp();
  const { answer } = upstream;
  upstream.answer = (...asked) => (upstream.calls === 1 ? unauthenticated() : answer(...asked));
  expect(await names.of(['hirer'], context)).toEqual(['Name of hirer']);
  expect([upstream.calls, tokens.drops]).toEqual([2, 1]);
  upstream.answer = unauthenticated;
  expect(await names.of(['other'], context)).toEqual([null]);
  expect([upstream.calls, tokens.drops]).toEqual([4, 2]);
  clock.ms += 5_001;
  tokens.renews = false;
  expect(await names.of(['third'], context)).toEqual([null]);
  expect([upstream.calls, tokens.drops]).toEqual([5, 3]);
});

test('a name of more than a thousand characters is none', async () => {
  const { names, upstream } = setUp();
  upstream.answer = (_ids, keys) => ({ data: { [keys[0]!]: { name: 'n'.repeat(1_001) } } });
  expect(await names.of(['a'], context)).toEqual([null]);
});

test('a name that is dropped while it is asked for is not kept for long', async () => {
  const { clock, names, upstream } = setUp();
  const gate = Promise.withResolvers<void>();
  upstream.gate = gate.promise;
  const asked = names.of(['a'], context);
  await new Promise(setImmediate);
  names.forget('a');
  gate.resolve();
  await asked;
  clock.ms += 30_001;
  await names.of(['a'], context);
  expect(upstream.calls).toBe(2);
});

test('a name that is dropped is asked for again', async () => {
  const { upstream, names } = setUp();
  await names.of(['hirer'], context);
  names.forget('hirer');
  expect(await names.of(['hirer'], context)).toEqual(['Name of hirer']);
  expect(upstream.calls).toBe(2);
});
