import supertest from 'supertest';
import type { Answer, Json } from '../support/ask-token.js';
import { until } from '../support/until.js';
import { NUSANTARA, startProxyStack, type ProxyStack } from './proxy-stack.js';
import { startScriptedUpstream, type ScriptedUpstream } from './scripted-upstream.js';

let stack: ProxyStack;
let upstream: ScriptedUpstream;
let amelia: string;
let bayu: string;

async function start(environment: Record<string, string>): Promise<void> {
  upstream = await startScriptedUpstream();
  stack = await startProxyStack({ UPSTREAM_URL: upstream.url, ...environment });
  amelia = stack.amelia;
  bayu = await stack.playground.signIn('bayu');
}
afterEach(async () => {
  await stack.close();
  await upstream.server.close();
});

async function ask(token: string, body: object, signal?: AbortSignal): Promise<Answer> {
  const asked = supertest(stack.url)
    .post('/graphql')
    .set({ authorization: `Bearer ${token}`, 'x-hirer-id': NUSANTARA })
    .send(body);
  signal?.addEventListener('abort', () => void asked.abort());
  return asked;
}
const query = (name: string): object => ({ query: `query ${name} { ok }` });
const codeOf = ({ errors }: Json): unknown => errors?.[0]?.extensions?.code;
const metric = async (line: string): Promise<number> => {
  const { text } = await supertest(stack.opsUrl).get('/metrics');
  return Number(
    text
      .split('\n')
      .find((candidate) => candidate.startsWith(`${line} `))
      ?.split(' ')[1] ?? 0,
  );
};
/** Leaves operations whose text contains the word without an answer. */
const hang = (word: string): void => {
  upstream.script = ({ query: text }) => (text.includes(word) ? 'hang' : '{"data":{"ok":true}}');
};

describe('the circuit', () => {
  const failFor = (...words: string[]): void => {
    upstream.before = (received, response) =>
      words.some((word) => received.body.includes(word)) && Boolean(response.writeHead(500).end('x'));
  };

  test('stays closed when forty queries of one user hang', async () => {
    await start({ UPSTREAM_TIMEOUT_MS: '1500' });
    hang('amelia');
    const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => ask(amelia, query(`amelia${n}`))));
    expect([...new Set(answers.map(({ status }) => status))]).toEqual([504]);
    expect((await ask(bayu, query('bayu'))).status).toBe(200);
    expect((await ask(amelia, query('another'))).status).toBe(200);
    expect(await metric('bff_circuit_open{target="graphql"}')).toBe(0);
  });

  test('opens for all when the upstream fails for two users', async () => {
    await start({});
    failFor('mutation');
    for (let n = 0; n < 10; n += 1) {
      expect((await ask(amelia, { query: 'mutation m { a }' })).status).toBe(502);
      expect((await ask(bayu, { query: 'mutation m { a }' })).status).toBe(502);
    }
    const calls = upstream.calls.length;
    expect((await ask(bayu, query('bayu'))).status).toBe(503);
    expect(await metric('bff_circuit_open{target="graphql"}')).toBe(1);
    expect(upstream.calls).toHaveLength(calls);
  });
});

describe.each(['array', 'fanout'])('operations of one user in flight (%s)', (batching) => {
  const MOST = 4;
  beforeEach(() =>
    start({
      USER_IN_FLIGHT_MAX: String(MOST),
      UPSTREAM_TIMEOUT_MS: '30000',
      UPSTREAM_BATCHING: batching,
    }),
  );

  test('are bounded: one more is 429 in GraphQL form, and other users are not affected', async () => {
    hang('hang');
    const gone = new AbortController();
    const held = Array.from({ length: MOST }, (_, n) =>
      ask(amelia, query(`hang${n}`), gone.signal).catch(() => 'gone'),
    );
    await until(() => upstream.executed.length === MOST);
    const refused = await ask(amelia, query('more'));
    expect([refused.status, codeOf(refused.body), refused.headers['retry-after']]).toEqual([
      429,
      'RATE_LIMITED',
      '1',
    ]);
    expect(upstream.executed).toHaveLength(MOST);
    expect((await ask(bayu, query('more'))).status).toBe(200);
    gone.abort();
    await Promise.all(held);
  });

  test('are bounded item by item in an array', async () => {
    hang('hang');
    const gone = new AbortController();
    const names = ['hang0', 'hang1', 'hang2'];
    const held = names.map((name) => ask(amelia, query(name), gone.signal).catch(() => 'gone'));
    await until(() => upstream.executed.length === MOST - 1);
    const { status, body } = await ask(amelia, { query: 'query one { ok }' });
    expect([status, body]).toEqual([200, { data: { ok: true } }]);
    const items = await ask(amelia, [query('two'), query('three')]);
    expect([items.status, items.body.map(codeOf)]).toEqual([200, [undefined, 'RATE_LIMITED']]);
    expect(items.headers['retry-after']).toBe('1');
    gone.abort();
    await Promise.all(held);
    const free = Array.from({ length: MOST }, (_, n) => query(`free${n}`));
    await until(async () => (await ask(amelia, free)).body.every((item: Json) => item.data));
  });
});
