import supertest from 'supertest';
import { askToken } from '../support/ask-token.js';
import { json, startJsonServer } from '../support/json-server.js';
import { startStack, type Stack } from '../support/start-stack.js';
import { STORE_OUTAGES } from '../support/store-outage.js';
import { until } from '../support/until.js';

// The outcomes `rate_limited`, `unavailable` and `errors` do not say who is to blame. The metrics do.

const SCOPE = 'query:organizations';

let stack: Stack;
afterEach(() => stack.close());

async function ask(user: string, query = 'query q { self { hirer { name } } }'): Promise<number> {
  const headers = {
    authorization: `Bearer ${await stack.playground.signIn(user)}`,
    'x-hirer-id': stack.playground.demo.hirers[1]!.hirerId, // both users belong to it
  };
  const { status } = await supertest(stack.url).post('/graphql').set(headers).send({ query });
  return status;
}

async function askForToken(scope = SCOPE): Promise<number> {
  const { hirerId } = stack.playground.demo.hirers[0]!;
  return (await askToken(stack, await stack.playground.signIn('amelia'), { hirerId, scope })).status;
}

/** The series of the metric that are not zero, once there are as many. */
async function culprits(count = 1): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  await until(async () => {
    const { text } = await supertest(stack.opsUrl).get('/metrics');
    for (const [, labels, value] of text.matchAll(/^bff_request_culprits_total\{(.*)\} ([1-9]\d*)$/gm)) {
      const words = [...labels!.matchAll(/="([^"]*)"/g)].map(([, word]) => word);
      found[words.join(' ')] = Number(value);
    }
    return Object.keys(found).length >= count;
  });
  return found;
}

describe('who is to blame is counted', () => {
  test('for a limit of the upstream, told apart from a limit of ours', async () => {
    stack = await startStack({ RATE_LIMIT_MINTS_PER_MINUTE: '1' });
    stack.playground.faults.add({ route: 'auth-token', status: 429 });
    expect(await askForToken()).toBe(429);
    expect(await culprits()).toEqual({ 'token rate_limited upstream': 1 });
    expect(await askForToken('query:ontologies')).toBe(429);
    expect(await askForToken()).toBe(429);
    expect(await culprits()).toEqual({ 'token rate_limited upstream': 1 });
    const { text } = await supertest(stack.opsUrl).get('/metrics');
    expect(text).toContain('bff_browser_tokens_total{outcome="rate_limited",source="none"} 3');
  });

  test('for an issuer that gives no token, and an upstream that is unavailable', async () => {
    stack = await startStack();
    await until(async () => (await supertest(stack.opsUrl).get('/readyz')).status === 200);
    stack.playground.faults.add({ route: 'auth-token', status: 503 });
    expect(await askForToken()).toBe(503);
    stack.playground.tokens.revoke({ kind: 'partner' });
    stack.playground.faults.add({ route: 'oauth-token', times: 0, status: 503 });
    expect(await askForToken()).toBe(503);
    expect(await culprits(2)).toEqual({
      'token unavailable upstream': 1,
      'token unavailable issuer': 1,
    });
  });

  test('for a membership service that fails', async () => {
    const service = await startJsonServer(json({}, 500));
    stack = await startStack({ HIRER_ACCESS: 'http', HIRER_ACCESS_URL: service.url.href });
    expect(await askForToken()).toBe(503);
    expect(await ask('amelia')).toBe(503);
    expect(await culprits(2)).toEqual({
      'token unavailable membership-service': 1,
      'graphql unavailable membership-service': 1,
    });
    await service.close();
  });

  test('for a database that fails', async () => {
    const outage = await STORE_OUTAGES[0]!.start();
    stack = { ...outage.stack, close: () => outage.close() };
    await outage.begin();
    expect(await askForToken()).toBe(503);
    expect(await ask('amelia')).toBe(503);
    expect(await culprits(2)).toEqual({
      'token unavailable database': 1,
      'graphql unavailable database': 1,
    });
  });

  test('for GraphQL errors: of what was asked, or of the upstream itself', async () => {
    stack = await startStack();
    await ask('amelia', 'query q { nothingOfThatName }');
    expect(await culprits()).toEqual({ 'graphql errors caller': 1 });
    stack.playground.faults.add({ route: 'graphql', field: 'Query.self', code: 'INTERNAL_SERVER_ERROR' });
    await ask('amelia');
    stack.playground.faults.add({ route: 'graphql', field: 'Query.self', code: 'RATE_LIMITED' });
    await ask('amelia');
    await ask('amelia');
    expect(await culprits(2)).toEqual({ 'graphql errors caller': 1, 'graphql errors upstream': 2 });
  });

  test('for each item of an array by itself', async () => {
    stack = await startStack();
    const body = ['query a { nothingOfThatName }', 'query b { self { hirer { name } } }'].map((query) => ({
      query,
    }));
    const authorization = `Bearer ${await stack.playground.signIn('amelia')}`;
    const headers = { authorization, 'x-hirer-id': stack.playground.demo.hirers[1]!.hirerId };
    await supertest(stack.url).post('/graphql').set(headers).send(body);
    expect(await culprits()).toEqual({ 'graphql errors caller': 1 });
  });
});
