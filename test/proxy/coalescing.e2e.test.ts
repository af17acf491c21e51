import supertest from 'supertest';
import type { Answer } from '../support/ask-token.js';
import { until } from '../support/until.js';
import { BANKSIA, NUSANTARA, startProxyStack, type ProxyStack } from './proxy-stack.js';
import { startScriptedUpstream, type ScriptedUpstream } from './scripted-upstream.js';

const QUERY = { query: 'query q { ok }' };
const MUTATION = { query: 'mutation m { a b }' };

let stack: ProxyStack;
let upstream: ScriptedUpstream;

beforeAll(async () => {
  upstream = await startScriptedUpstream();
  stack = await startProxyStack({ UPSTREAM_URL: upstream.url, UPSTREAM_TIMEOUT_MS: '30000' });
});
afterAll(async () => {
  await stack.close();
  await upstream.server.close();
});
beforeEach(() => upstream.reset());

async function ask(
  body: object,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<Answer> {
  const asked = supertest(stack.url)
    .post('/graphql')
    .set({ authorization: `Bearer ${stack.amelia}`, 'x-hirer-id': BANKSIA, ...headers })
    .send(body);
  signal?.addEventListener('abort', () => void asked.abort());
  return asked;
}

/** Holds back every answer until `release`. */
function hold(): { release(): void } {
  const waiting: (() => void)[] = [];
  upstream.before = (_call, response) => Boolean(waiting.push(() => response.end('{"data":{"ok":1}}')));
  return { release: () => waiting.splice(0).forEach((answer) => answer()) };
}

/** Number of requests that joined another's upstream call so far. */
async function coalesced(): Promise<number> {
  const { text } = await supertest(stack.opsUrl).get('/metrics');
  return Number(/^bff_graphql_interventions_total\{kind="coalesced"\} (\d+)$/m.exec(text)?.[1] ?? 0);
}

test('a hundred equal queries are one upstream call', async () => {
  await ask(QUERY);
  upstream.reset();
  const before = await coalesced();
  const held = hold();
  const answers = Promise.all(Array.from({ length: 100 }, () => ask(QUERY)));
  await until(async () => (await coalesced()) === before + 99);
  held.release();
  expect((await answers).every(({ status }) => status === 200)).toBe(true);
  expect(upstream.calls).toHaveLength(1);
});

test('queries that differ in hirer, user, language or variables are not shared; mutations never are', async () => {
  const bayu = await stack.playground.signIn('bayu');
  const held = hold();
  const answers = [
    ask(QUERY),
    ask(QUERY, { 'x-hirer-id': NUSANTARA }),
    ask(QUERY, { 'x-hirer-id': NUSANTARA, authorization: `Bearer ${bayu}` }),
    ask(QUERY, { 'accept-language': 'th' }),
    ask({ ...QUERY, variables: { a: 1 } }),
    ask(MUTATION),
    ask(MUTATION),
  ];
  await until(() => upstream.calls.length === answers.length);
  held.release();
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(answers.map(() => 200));
});

test('the first may disconnect without the others; when all have, the upstream call is cancelled', async () => {
  const held = hold();
  let cancelled = false;
  const first = new AbortController();
  const second = new AbortController();
  const one = ask(QUERY, {}, first.signal).catch(() => 'gone');
  await until(() => upstream.calls.length === 1);
  const before = await coalesced();
  const two = ask(QUERY);
  await until(async () => (await coalesced()) === before + 1);
  first.abort();
  expect(await one).toBe('gone');
  held.release();
  expect((await two).status).toBe(200);
  upstream.before = (_call, response) => Boolean(response.on('close', () => (cancelled = true)));
  const alone = ask({ query: 'query alone { ok }' }, {}, second.signal).catch(() => 'gone');
  await until(() => upstream.calls.length === 2);
  second.abort();
  await until(() => cancelled);
  expect(await alone).toBe('gone');
});
