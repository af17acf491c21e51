import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../support/browser.js';
import { json, startJsonServer, type JsonServer } from '../support/json-server.js';
import { startStack, type Stack } from '../support/start-stack.js';
import { until } from '../support/until.js';
import { anEvent, sendWebhook } from '../webhooks/send-webhook.js';
import { openDashboard, examine, readAttention } from './dashboard-view.js';
import { askForToken, askGraphql } from './outage-traffic.js';

// Two things fail, one after another or together: each gets its own line and its own blame, and none outlives its end.

const SECRET = 'a-webhook-secret-of-the-blame-test';
const FAILING = { route: 'graphql', times: 0, status: 500, body: 'x', contentType: 'text/plain' } as const;

let browser: Browser;
let stack: Stack;
let service: JsonServer | undefined;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()));
  await stack.close();
  await service?.close();
  service = undefined;
});

/** The texts of the lines, without that of the start. */
async function lines(page: Page, what: string | RegExp): Promise<Record<string, string>> {
  const said = await readAttention(page, what);
  return Object.fromEntries(
    said.filter(({ severity }) => severity !== 'info').map(({ what, fault }) => [what, fault]),
  );
}

async function row(page: Page, outcome: string): Promise<string> {
  const found = page.locator('#refusals tbody tr', { hasText: outcome }).first();
  await found.waitFor();
  return (await found.innerText()).replaceAll(/\s+/g, ' ');
}

test('an issuer that is back is not blamed any more, while the upstream is down', async () => {
  stack = await startStack({ RATE_LIMIT_MINTS_PER_MINUTE: '0' });
  await askGraphql(stack, 'bayu', 1);
  const page = await openDashboard(browser, stack.opsUrl);
  stack.playground.tokens.revoke({ kind: 'partner' });
  const outage = { route: 'oauth-token', times: 0, status: 503 } as const;
  stack.playground.faults.add(outage);
  for (let n = 0; n < 9; n += 1) await askForToken(stack);
  await readAttention(page, /The issuer gives no new partner token/);
  expect(await row(page, 'unavailable')).toContain('Issuer');
  await examine(page, 'issuer-down');

  stack.playground.faults.clear();
  stack.playground.faults.add(FAILING);
  await until(async () => (await askForToken(stack)) === 200, 60_000);
  await askGraphql(stack, 'bayu', 12);
  const said = await lines(page, /The upstream fails/);
  await page.getByText(/The issuer gives no new/).waitFor({ state: 'hidden' });
  expect(Object.values(said)).toContain('Upstream, or the network to it');
  const now = await lines(page, /GraphQL operations failed/);
  expect(Object.values(now)).toEqual(['Upstream, or the network to it']);
  await examine(page, 'issuer-back-upstream-down');

  stack.playground.faults.clear();
  await until(async () => {
    await askGraphql(stack, 'bayu', 1);
    return (await page.getByText('Nothing needs attention.').count()) > 0;
  });
  expect(Object.keys(await lines(page, 'Nothing needs attention.'))).toEqual(['Nothing needs attention.']);
});

test('a slow upstream, and GraphQL errors: both are named, and the tile shows the latency', async () => {
  stack = await startStack({ EVENTS_SCHEME_ID: '' }); // only users call the upstream
  await Promise.all([askGraphql(stack, 'amelia', 1), askGraphql(stack, 'bayu', 1)]);
  const page = await openDashboard(browser, stack.opsUrl);
  stack.playground.faults.add({ route: 'graphql', times: 0, delayMs: 2_300 });
  const other = (n: number): string => `query q${n} { self { hirer { name } } }`;
  await Promise.all(Array.from({ length: 12 }, (_, n) => askGraphql(stack, 'amelia', 1, other(n))));
  const said = await lines(
    page,
    /The upstream is slow: 1[2-9] of 1\d GraphQL calls took longer than 2 seconds/,
  );
  expect(Object.values(said)).toEqual(['Upstream, or the network to it']);
  expect(await page.locator('#tile-graphql-latency dd').innerText()).toMatch(
    /^[2-4],\d{3} ms\s+upstream [2-4],\d{3} ms$/,
  );
  await examine(page, 'upstream-slow');

  stack.playground.faults.clear();
  stack.playground.faults.add({
    route: 'graphql',
    field: 'Query.self',
    times: 12,
    code: 'INTERNAL_SERVER_ERROR',
  });
  await askGraphql(stack, 'amelia', 12);
  await askGraphql(stack, 'amelia', 3, 'query q { nothingOfThatName }');
  const both = await lines(page, /with errors in the last minute: 12 failed there, 3 were refused/);
  expect(Object.values(both)).toEqual(['Upstream', 'Upstream, or the network to it']);
  expect(await row(page, 'failed and said so')).toContain('Upstream');
  await examine(page, 'graphql-errors');
});

test('the limit of the upstream, and webhooks with an old secret', async () => {
  stack = await startStack({ WEBHOOK_SECRETS: SECRET, EVENTS_SCHEME_ID: '' });
  await askGraphql(stack, 'amelia', 1);
  const page = await openDashboard(browser, stack.opsUrl);
  stack.playground.faults.add({ route: 'graphql', times: 0, status: 429 });
  await askGraphql(stack, 'amelia', 9);
  for (let sent = 0; sent < 30; sent += 1) await sendWebhook(stack.url, 'the-secret-before', [anEvent()]);
  const said = await lines(page, /30 of 30 webhooks were refused/);
  expect(said).toEqual({
    'The upstream limits this service: it answered 429 to 9 of 10 requests in the last minute.':
      "The upstream's rate limit",
    '30 of 30 webhooks were refused in the last minute: their signature matches no secret.':
      'Your WEBHOOK_SECRETS: most likely the secret was rotated at the upstream but not here',
  });
  expect(await row(page, 'rate_limited')).toContain('Upstream 9 of 10 GraphQL operations');
  expect(await page.locator('#state').innerText()).toBe('Failing');
  expect(await page.locator('#chart-webhooks .empty').isVisible()).toBe(false);
  await examine(page, 'upstream-429-webhooks-refused');
});

test('a membership service that fails, and a Redis that is gone', async () => {
  service = await startJsonServer(json({}, 500));
  stack = await startStack({
    HIRER_ACCESS: 'http',
    HIRER_ACCESS_URL: service.url.href,
    REDIS_URL: 'redis://127.0.0.1:1',
    EVENTS_SCHEME_ID: '',
  });
  const page = await openDashboard(browser, stack.opsUrl);
  for (let n = 0; n < 6; n += 1) await askForToken(stack);
  const said = await lines(page, /In the last minute 6 of 6 token requests failed/);
  expect(Object.values(said)).toEqual(['Your membership service, or the network to it', 'Your Redis']);
  expect(await row(page, 'unavailable')).toContain('Membership service');
  expect(await page.locator('#state').innerText()).toBe('Failing');
  await examine(page, 'membership-service-redis');

  const memberships = [{ hirerId: stack.playground.demo.hirers[0]!.hirerId, roles: ['member'] }];
  service.answer = json({ memberships });
  expect(await askForToken(stack)).toBe(200);
  await page.getByText(/The membership service fails/).waitFor({ state: 'hidden' });
  expect(Object.values(await lines(page, /Redis does not answer/))).toEqual(['Your Redis']);
});
