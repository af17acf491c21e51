import { runControl } from '../../playground/src/command/command-line.js';
import { startPlayground, type Playground } from '../../playground/src/playground.js';
import { ask, BANKSIA, bearer, browserToken, errorsOf, partnerToken, tokenRequest } from './client.js';

let playground: Playground;
beforeAll(async () => {
  playground = await startPlayground({ port: 0 });
});
afterEach(() => playground.rateLimits.set({}));
afterAll(() => playground.close());

async function post(url: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

test('rates are limited by buckets: RATE_LIMITED in GraphQL, refilled over time', async () => {
  playground.rateLimits.set({ 'Query.self': { bucketSize: 2, refillTokens: 1, refillPeriodSeconds: 30 } });
  const token = browserToken(playground);
  const query = '{ self { hirer { name } } }';
  const codes = [];
  for (let n = 0; n < 3; n++) codes.push(errorsOf(await ask(playground, query, undefined, token))[0]?.[0]);
  expect(codes).toEqual([undefined, undefined, 'RATE_LIMITED']);
  playground.switches.rateLimitedStatus = 429;
  const limited = await post(`${playground.upstreamUrl}/graphql`, { query }, bearer(token));
  expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '30']);
  playground.switches.rateLimitedStatus = 200;
  playground.clock.skew(31_000);
  expect((await ask(playground, query, undefined, token)).errors).toBeUndefined();
  playground.clock.skew(0);
});

test('rates of every route are limited by its name, in the form of its errors, with Retry-After', async () => {
  const rule = { bucketSize: 1, refillTokens: 1, refillPeriodSeconds: 60 };
  playground.rateLimits.set({ 'oauth-token': rule, jwks: rule, 'auth-token': rule, graphql: rule });
  playground.switches.rateLimitedStatus = 429;
  const keys = async () => fetch(`${playground.issuerUrl}/.well-known/jwks.json`);
  const refused = [];
  const issue = async () => post(`${playground.issuerUrl}/oauth/token`, tokenRequest(playground));
  const mint = async () =>
    post(
      `${playground.upstreamUrl}/auth/token`,
      { hirerId: BANKSIA, scope: 'query:organizations', userId: '42' },
      bearer(partnerToken(playground)),
    );
  const version = async () => post(`${playground.upstreamUrl}/graphql`, { query: '{ version }' });
  for (const call of [issue, keys, mint, version]) {
    expect((await call()).status).toBe(200);
    const { status, headers, ...answer } = await call().then(async (response) => ({
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as object,
    }));
    refused.push([status, headers.get('retry-after'), answer.body]);
  }
  playground.switches.rateLimitedStatus = 200;
  const message = expect.any(String);
  expect(refused).toEqual([
    [429, '60', { error: 'too_many_requests', error_description: message }],
    [429, '60', { message }],
    [429, '60', { code: 'RATE_LIMITED', message }],
    [
      429,
      '60',
      {
        errors: [{ message, extensions: { code: 'RATE_LIMITED' } }],
        extensions: { requestLatency: expect.any(Number) },
      },
    ],
  ]);
});

test('a rate limit whose name is neither a route, a root field nor * is refused', async () => {
  const environment = { PLAYGROUND_URL: playground.upstreamUrl };
  const rule = { bucketSize: 1, refillTokens: 1, refillPeriodSeconds: 60 };
  const limit = async (name: string) =>
    runControl('rate-limits', [`rules=${JSON.stringify({ [name]: rule })}`], environment);
  await expect(limit('grahpql')).rejects.toThrow(/grahpql/);
  await expect(limit('Query.nothing')).rejects.toThrow(/Query.nothing/);
  for (const name of ['*', 'graphql', 'Query.self', 'Mutation.uploadCandidate']) await limit(name);
});
