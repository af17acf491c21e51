import supertest from 'supertest';
import type { FastifyRequest } from 'fastify';
import { Attachments } from '../../src/proxy/attachments/attachments.js';
import { Operations } from '../../src/operations/operations.service.js';
import type { Json } from '../support/start-stack.js';
import { until } from '../support/until.js';
import { BANKSIA, startScriptedStack, type ProxyStack, codeOf } from './proxy-stack.js';
import type { ScriptedUpstream } from '../support/scripted-upstream.js';

const TIMEOUT_MS = 1_500;
const QUERY = { query: 'query q { ok }' };
const MUTATION = { query: 'mutation m { a b }' };

let stack: ProxyStack;
let upstream: ScriptedUpstream;

async function start(environment: Record<string, string> = {}): Promise<void> {
  const settings = { UPSTREAM_TIMEOUT_MS: String(TIMEOUT_MS), ...environment };
  ({ upstream, stack } = await startScriptedStack(settings));
}

describe('bytes', () => {
  beforeAll(() => start());
  beforeEach(() => upstream.reset());

  test('a single request and its answer pass byte for byte, status included', async () => {
    const body =
      ' {"query" : "query q { ok }" ,"variables":{"n":9007199254740993,"x":[1.0]},"extensions":{"k":1e2}} ';
    const answer = '{"data" : {"n":9007199254740993,"s":"\\u00e9"}, "extensions":{"requestLatency":1.50}}';
    upstream.before = (_call, response) => Boolean(response.writeHead(203).end(answer));
    const { status, text } = await stack.ask(body);
    expect([status, text]).toEqual([203, answer]);
    expect(upstream.calls[0]?.raw).toBe(body);
  });

  test.each([
    ['noise', 200, '<html>', 'UPSTREAM_ERROR', 502],
    ['data that is a list', 200, '{"data":[{"a":1}]}', 'UPSTREAM_ERROR', 502],
    ['a redirect', 302, '{"data":{"a":1}}', 'UPSTREAM_ERROR', 502],
    ['a 500 without GraphQL', 500, '{"message":"secret cause"}', 'UPSTREAM_ERROR', 502],
    ['a 429 without GraphQL', 429, 'no', 'RATE_LIMITED', 429],
    ['a 503 without GraphQL', 503, 'no', 'UNAVAILABLE', 503],
  ])('%s becomes an error that quotes nothing of the upstream', async (_, status, body, code, expected) => {
    upstream.before = (_call, response) =>
      Boolean(response.writeHead(status, { location: 'http://127.0.0.1:1/', 'retry-after': '7' }).end(body));
    const answer = await stack.ask(MUTATION);
    expect([answer.status, codeOf(answer)]).toEqual([expected, code]);
    expect(answer.text).not.toContain('secret');
    if (expected === 429 || expected === 503) expect(answer.headers['retry-after']).toBe('7');
    expect(upstream.calls).toHaveLength(1);
  });

  test.each([
    [500, undefined],
    [429, '1'],
    [503, '1'],
  ])(
    'a GraphQL answer of status %i keeps it, says %s s where it has no time of its own, and is no reason to try at once',
    async (status, passedByItself) => {
      const body = '{"errors":[{"message":"x","extensions":{"code":"RATE_LIMITED"}}]}';
      for (const [sent, passed] of [
        [{}, passedByItself],
        [{ 'retry-after': '7' }, '7'],
      ] as const) {
        upstream.before = (_call, response) => Boolean(response.writeHead(status, sent).end(body));
        const answer = await stack.ask(QUERY);
        expect([answer.status, answer.text, answer.headers['retry-after']]).toEqual([status, body, passed]);
      }
      expect(upstream.calls).toHaveLength(2);
    },
  );

  test('an answer above the limit is cut off', async () => {
    upstream.script = () => `{"data":{"x":"${'x'.repeat(5_000_000)}"}}`;
    const answer = await stack.ask(QUERY);
    expect([answer.status, codeOf(answer)]).toEqual([502, 'UPSTREAM_ERROR']);
  });

  const once = (act: NonNullable<ScriptedUpstream['before']>): void => {
    upstream.before = (received, response) => upstream.calls.length === 1 && act(received, response);
  };

  test('after a broken connection a query is sent once more, a mutation is not', async () => {
    const broken: NonNullable<ScriptedUpstream['before']> = (_call, response) => {
      response.socket?.destroy();
      return true;
    };
    once(broken);
    expect((await stack.ask(QUERY)).status).toBe(200);
    expect(upstream.calls).toHaveLength(2);
    upstream.reset();
    once(broken);
    expect((await stack.ask(MUTATION)).status).toBe(502);
    expect(upstream.calls).toHaveLength(1);
    upstream.reset();
    upstream.before = broken;
    expect((await stack.ask(QUERY)).status).toBe(502);
    expect(upstream.calls).toHaveLength(2);
  });
});

test('a caller that disconnects is a 499 in metrics, log and audit trail, and not a failure of the service', async () => {
  await start({ UPSTREAM_TIMEOUT_MS: '30000' });
  upstream.before = () => true;
  const request = supertest(stack.url)
    .post('/graphql')
    .set({ authorization: `Bearer ${stack.amelia}`, 'x-hirer-id': BANKSIA })
    .send(QUERY);
  const asked = request.catch(() => 'gone');
  await until(() => upstream.calls.length === 1);
  request.abort();
  expect(await asked).toBe('gone');
  const counted = 'bff_http_request_duration_seconds_count{route="/graphql",method="POST",status="499"} 1';
  await until(async () => (await stack.metrics()).includes(counted));
  expect(stack.logText()).toMatch(/"route":"\/graphql","method":"POST","status":499/);
  expect((await stack.audit('action=graphql')).map(({ outcome }) => outcome)).toEqual(['cancelled']);
  expect(await stack.metrics()).not.toMatch(/route="\/graphql".*status="(200|5..)"/);
});

test('what fails after the caller has left is logged, whether a request or a download', async () => {
  await start();
  const { app } = stack.service;
  const failing = async ({ context }: Pick<FastifyRequest, 'context'>): Promise<never> => {
    begun += 1;
    await new Promise<void>((left) => context.cancellation.on('abort', left));
    throw new TypeError(`a fault of ours, number ${begun}`);
  };
  let begun = 0;
  app.get(Operations, { strict: false }).run = (_items, context) => failing({ context });
  app.get(Attachments, { strict: false }).fetch = (_sealed, request) => failing(request);
  const headers = { authorization: `Bearer ${stack.amelia}`, 'x-hirer-id': BANKSIA };
  const requests = [
    supertest(stack.url).post('/graphql').set(headers).send(QUERY),
    supertest(stack.url).get('/attachments/sealed').set(headers),
  ];
  for (const [index, request] of requests.entries()) {
    const asked = request.catch(() => 'gone');
    await until(() => begun === index + 1);
    request.abort();
    await asked;
    await until(() => stack.logText().includes(`a fault of ours, number ${begun}`));
  }
});

describe('limits of upstream calls', () => {
  test('requests above UPSTREAM_IN_FLIGHT_MAX are 503 with Retry-After at once', async () => {
    await start({ UPSTREAM_IN_FLIGHT_MAX: '2' });
    await stack.ask(QUERY);
    upstream.before = () => true;
    const held = [1, 2].map((n) => stack.ask({ query: `query q${n} { ok }` }));
    await until(() => upstream.calls.length === 3);
    const refused = await stack.ask({ query: 'query q3 { ok }' });
    expect([refused.status, codeOf(refused), refused.headers['retry-after']]).toEqual([
      503,
      'UNAVAILABLE',
      '1',
    ]);
    await Promise.all(held);
  });

  test('the request limit counts items: those above it fail in their places', async () => {
    await start({ RATE_LIMIT_REQUESTS_PER_MINUTE: '15' });
    const items = Array.from({ length: 10 }, (_, index) => ({ query: `query q${index} { ok }` }));
    const [first, second] = [await stack.ask(items), await stack.ask(items)];
    expect([first, second].map(({ headers }) => Number(headers['retry-after']) > 0)).toEqual([false, true]);
    const codes = [...first.body, ...second.body].map((item: Json) => item.errors?.[0].extensions.code);
    expect(codes.filter((code) => code === 'RATE_LIMITED')).toHaveLength(5);
    expect(codes.slice(0, 15).every((code) => code === undefined)).toBe(true);
    const whole = await stack.ask(items);
    expect([whole.status, codeOf(whole)]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(whole.headers['retry-after'])).toBeGreaterThan(0);
  });
});
