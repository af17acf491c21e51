import supertest from 'supertest';
import type { Answer, Json } from '../support/start-stack.js';
import { until } from '../support/until.js';
import { NUSANTARA, startScriptedStack, type ProxyStack, codeOf } from './proxy-stack.js';
import type { ScriptedUpstream } from '../support/scripted-upstream.js';

let stack: ProxyStack;
let upstream: ScriptedUpstream;
let amelia: string;
let bayu: string;

async function start(environment: Record<string, string>): Promise<void> {
  ({ upstream, stack } = await startScriptedStack(environment));
  amelia = stack.amelia;
  bayu = await stack.playground.signIn('bayu');
}

async function ask(token: string, body: object, signal?: AbortSignal): Promise<Answer> {
  const asked = supertest(stack.url)
    .post('/graphql')
    .set({ authorization: `Bearer ${token}`, 'x-hirer-id': NUSANTARA })
    .send(body);
  signal?.addEventListener('abort', () => void asked.abort());
  return asked;
}
const query = (name: string): object => ({ query: `query ${name} { ok }` });
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
    expect(upstream.calls).toHaveLength(calls);
  });
});

test('operations of one user in flight are bounded: what goes beyond is 429 in GraphQL form, an array as a whole; other users are not affected', async () => {
  const most = 4;
  await start({ USER_IN_FLIGHT_MAX: String(most), UPSTREAM_TIMEOUT_MS: '30000' });
  hang('hang');
  const gone = new AbortController();
  const hold = (n: number): Promise<unknown> =>
    ask(amelia, query(`hang${n}`), gone.signal).catch(() => 'gone');
  const held = Array.from({ length: most - 1 }, (_, n) => hold(n));
  await until(() => upstream.executed.length === most - 1);
  const items = await ask(amelia, [query('two'), query('three')]);
  expect([items.status, codeOf(items)]).toEqual([429, 'RATE_LIMITED']);
  held.push(hold(most));
  await until(() => upstream.executed.length === most);
  const refused = await ask(amelia, query('more'));
  for (const { headers } of [items, refused]) expect(headers['retry-after']).toBe('1');
  expect([refused.status, codeOf(refused)]).toEqual([429, 'RATE_LIMITED']);
  expect((await ask(bayu, query('more'))).status).toBe(200);
  gone.abort();
  await Promise.all(held);
  const free = Array.from({ length: most }, (_, n) => query(`free${n}`));
  await until(async () => [(await ask(amelia, free)).body].flat().every((item: Json) => item.data));
});
