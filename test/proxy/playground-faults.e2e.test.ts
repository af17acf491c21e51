import { BrowserTokens } from '../../src/token/browser-tokens.js';
import { BANKSIA, useProxyStack } from './proxy-stack.js';

const QUERY = {
  query: 'query ($id: String!) { hiringOrganization(id: $id) { name } }',
  variables: { id: BANKSIA },
};

const stack = useProxyStack(() => ({ UPSTREAM_TIMEOUT_MS: '1500' }));
beforeAll(() => stack.ask(QUERY));
afterEach(() => stack.playground.faults.clear());

test('in an array, operations of the token that cannot be had fail, and those of the other are answered', async () => {
  stack.service.app.get(BrowserTokens, { strict: false }).dropHirers([BANKSIA]);
  stack.playground.faults.add({ route: 'auth-token', status: 500 });
  const { status, body } = await stack.ask([QUERY, { documentId: 'Hirer' }]);
  expect([status, body[0].errors[0].extensions.code]).toEqual([200, 'UPSTREAM_ERROR']);
  expect(body[1].data.hiringOrganization.id.value).toBe(BANKSIA);
});

test('each request leaves one audit record and counts its items; no token appears in log, answer or metric', async () => {
  const countOf = (metrics: string): number =>
    Number(/bff_graphql_items_total\{outcome="ok"\} (\d+)/.exec(metrics)?.[1] ?? 0);
  const before = countOf(await stack.metrics());
  const requestId = '3f1f0c7a-2c4b-4f59-9f9a-0c35a3a0b7d1';
  await stack.ask([QUERY, { documentId: 'Hirer' }], { 'x-request-id': requestId });
  const metrics = await stack.metrics();
  expect(countOf(metrics) - before).toBe(2);
  const records = await stack.audit(`request=${requestId}`);
  const operations = ['query { hiringOrganization }', 'Hirer'];
  expect(records).toMatchObject([{ action: 'graphql', hirerId: BANKSIA, outcome: 'ok', operations }]);
  expect(records[0].tokenHash).toMatch(/^[\da-f]{32}$/);
  for (const text of [stack.logText(), metrics, JSON.stringify(await stack.audit())]) {
    expect(text).not.toContain(stack.amelia);
  }
});
