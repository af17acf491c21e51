import supertest from 'supertest';
import { CONDITIONS, type ConditionName } from '../../src/telemetry/conditions/condition-table.js';
import type { ConditionView } from '../../src/telemetry/conditions/conditions.js';
import type { JwksKeys } from '../../src/auth/keys/jwks-keys.js';
import { KeySource } from '../../src/auth/keys/key-source.js';
import type { Environment } from '../../src/config/load-config.js';
import { BrowserTokens } from '../../src/token/browser-tokens.js';
import { json, startJsonServer, webhookSettings } from '../support/json-server.js';
import { startStack, untilReady, type Stack } from '../support/start-stack.js';
import { until } from '../support/until.js';
import { active as activeOf, only as onlyIn, askForToken, askGraphql } from './active-conditions.js';
import { times } from './outages.js';

const SECRET = 'a-webhook-secret-of-this-suite';

let stack: Stack;

async function start(settings: Environment = {}): Promise<void> {
  const sink = await startJsonServer(json({}));
  stack = await startStack({
    ...webhookSettings(SECRET, sink),
    RATE_LIMIT_MINTS_PER_MINUTE: '0',
    ...settings,
  });
  await untilReady(stack);
}

const active = (): Promise<ConditionView[]> => activeOf(stack);
const only = (...names: readonly ConditionName[]): Promise<void> => onlyIn(stack, ...names);

const SCOPES = ['query:organizations', 'query:ontologies', 'query:ad-products', 'query:posted-positions'];

test('everything that can be wrong is listed and measured from the start, and none of it is', async () => {
  await start();
  expect(await active()).toEqual([]);
  const { body } = await supertest(stack.opsUrl).get('/conditions');
  expect(body.items.map(({ name }: ConditionView) => name)).toEqual(Object.keys(CONDITIONS));
  const { text } = await supertest(stack.opsUrl).get('/metrics');
  for (const [name, { severity }] of Object.entries(CONDITIONS)) {
    expect(text).toContain(`bff_condition{condition="${name}",severity="${severity}"} 0\n`);
  }
});

test('an upstream that fails: in the list, in readyz, which stays 200, in the metric; over with the first success', async () => {
  await start();
  stack.playground.faults.add({ route: 'graphql', times: 0, status: 500 });
  await askGraphql(stack, 'amelia', 4);
  await only('upstream-failing');
  const [condition] = await active();
  expect(condition).toMatchObject({ severity: 'page', culprit: 'upstream', endedAt: null });
  expect(condition!.summary).toContain('(graphql: 5xx)');
  const { status, body } = await supertest(stack.opsUrl).get('/readyz');
  expect([status, body.status, body.conditions]).toEqual([200, 'degraded', [condition]]);
  const metric = 'bff_condition{condition="upstream-failing",severity="page"}';
  expect((await supertest(stack.opsUrl).get('/metrics')).text).toContain(`${metric} 1\n`);
  stack.playground.faults.clear();
  await until(async () => {
    await askGraphql(stack, 'amelia', 1); // until the circuit lets one through
    return (await active()).length === 0;
  }, 30_000);
  const list = await supertest(stack.opsUrl).get('/conditions');
  const ended = (list.body.items as ConditionView[]).find(({ name }) => name === 'upstream-failing')!;
  expect(ended).toMatchObject({ active: false, since: null, endedAt: expect.stringMatching(/^\d{4}-.*Z$/) });
});

test('an upstream that answers with a page, or accepts no partner token, fails, and does not from its next good answer', async () => {
  await start();
  const page = { times: 0, status: 200, body: '<h1>Maintenance</h1>', contentType: 'text/html' };
  stack.playground.faults.add({ route: 'graphql', ...page });
  await askGraphql(stack, 'amelia', 3);
  await only('upstream-failing');
  stack.playground.faults.clear();
  await askGraphql(stack, 'amelia', 1);
  await only();
  for (const fault of [page, { times: 0, status: 401 }]) {
    stack.playground.faults.add({ route: 'auth-token', ...fault });
    await times(3, () => askForToken(stack, SCOPES[1]));
    await only('upstream-failing');
    stack.playground.faults.clear();
    await until(async () => (await askForToken(stack, SCOPES[2])) === 200);
    stack.service.app.get(BrowserTokens).dropHirers([stack.playground.demo.hirers[0]!.hirerId]);
    await only();
  }
});

test('an upstream that limits by errors of GraphQL limits, and does not fail', async () => {
  await start();
  stack.playground.faults.add({ route: 'graphql', times: 0, field: 'Query.self', code: 'RATE_LIMITED' });
  await askGraphql(stack, 'amelia', 12);
  await only('upstream-rate-limited');
  stack.playground.faults.clear();
  await askGraphql(stack, 'amelia', 1);
  await only();
});

test('an upstream that limits browser tokens limits, whether or not our own limit refuses some', async () => {
  await start({ RATE_LIMIT_MINTS_PER_MINUTE: '5' });
  stack.playground.faults.add({ route: 'auth-token', times: 0, status: 429 });
  await times(8, () => askForToken(stack)); // three of them are beyond the limit of mints
  await only('upstream-rate-limited');
  const { body } = await supertest(stack.opsUrl).get('/readyz');
  expect(body.checks.upstream).toEqual({ state: 'degraded', reason: 'browser tokens: 429' });
});

test('an upstream that is too slow for its callers, who leave, is slow', async () => {
  await start();
  const { hirerId } = stack.playground.demo.hirers[1]!;
  stack.playground.faults.add({ route: 'graphql', times: 3, delayMs: 8_000 });
  const headers = {
    authorization: `Bearer ${await stack.playground.signIn('amelia')}`,
    'content-type': 'application/json',
    'x-hirer-id': hirerId,
  };
  const request = { method: 'POST', headers, body: '{"query":"query q { self { hirer { name } } }"}' };
  const leave = (): Promise<unknown> =>
    fetch(`${stack.url}/graphql`, { ...request, signal: AbortSignal.timeout(4_000) }).catch(() => undefined);
  await Promise.all([leave(), leave(), leave()]);
  await only('upstream-slow');
  const { body } = await supertest(stack.opsUrl).get('/readyz');
  expect(body.checks.upstream).toMatchObject({
    state: 'degraded',
    reason: expect.stringMatching(/^slow: 3 of /),
  });
});

test('an identity provider whose JWK set is empty fails too', async () => {
  await start();
  stack.playground.faults.add({ route: 'jwks', times: 0, status: 200, body: '{"keys":[]}' });
  const keys = stack.service.app.get<KeySource, JwksKeys>(KeySource);
  await times(3, () => keys.fetch());
  await only('identity-provider-failing');
  stack.playground.faults.clear();
  await keys.fetch();
  await only();
  expect(await askForToken(stack)).toBe(200);
});
