import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import supertest from 'supertest';
import { launchBrowser } from '../support/browser.js';
import { json, startJsonServer, type JsonServer } from '../support/json-server.js';
import { startSilently } from '../support/start-silently.js';
import { startStack, type Stack } from '../support/start-stack.js';
import { openTcpGate } from '../support/tcp-gate.js';
import { TEST_DATABASES } from '../support/test-database.js';
import { until } from '../support/until.js';
import { anEvent, sendWebhook } from '../webhooks/send-webhook.js';
import { openDashboard, examine, readAttention } from './dashboard-view.js';
import { askForToken, askGraphql } from './outage-traffic.js';

// The top of the page alone tells the person on call what is wrong, whose fault it is and what to do.

const SECRET = 'a-webhook-secret-of-the-outage-test';
const WITH_SINK = {
  WEBHOOK_SECRETS: SECRET,
  EVENTS_SCHEME_ID: '',
  EVENT_SINK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
};

let browser: Browser;
let stack: Stack | undefined;
let sink: JsonServer | undefined;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()));
  await stack?.close();
  await sink?.close();
  [stack, sink] = [undefined, undefined];
});

async function startWithSink(status: number, events: number): Promise<Stack> {
  sink = await startJsonServer(json({}, status));
  const started = await startStack({ ...WITH_SINK, EVENT_SINK_URL: sink.url.href });
  for (let sent = 0; sent < events; sent += 50) {
    await sendWebhook(
      started.url,
      SECRET,
      Array.from({ length: Math.min(50, events - sent) }, () => anEvent()),
    );
  }
  return started;
}

test('nothing wrong: says so, and that the figures begin with the start', async () => {
  stack = await startStack();
  await askForToken(stack);
  const page = await openDashboard(browser, stack.opsUrl);
  const [clear, start, ...others] = await readAttention(page, 'Nothing needs attention.');
  expect(clear).toMatchObject({ severity: 'good' });
  expect(start).toMatchObject({
    severity: 'info',
    what: expect.stringMatching(/^This replica started \d+ seconds ago\./),
  });
  expect(others).toEqual([]);
  await examine(page, 'all-clear');
});

test('what is not known yet is said, and is no all-clear', async () => {
  stack = await startStack();
  const page = await openDashboard(browser, stack.opsUrl);
  const unknown = { severity: 'unknown', what: 'Not counted yet.', fault: '', action: '', runbook: '' };
  const said = await page.evaluate(`import('/dashboard/attention.js').then(({ showAttention }) => {
    showAttention([${JSON.stringify(unknown)}]);
    return [...document.querySelectorAll('#attention-list .what')].map(({ textContent }) => textContent);
  })`);
  expect(said).toEqual(['Not counted yet.']);
});

test('an upstream that fails: the upstream, its share of failed operations, and that calls are held back', async () => {
  stack = await startStack({ UPSTREAM_TIMEOUT_MS: '1000' });
  const page = await openDashboard(browser, stack.opsUrl);
  stack.playground.faults.add({
    route: 'graphql',
    times: 0,
    status: 503,
    body: 'x',
    contentType: 'text/plain',
  });
  await Promise.all([askGraphql(stack, 'amelia', 20), askGraphql(stack, 'bayu', 20)]);
  const [worst] = await readAttention(page, /40 of 40 GraphQL operations failed/);
  expect(worst).toMatchObject({
    severity: 'bad',
    what: expect.stringMatching(
      /^The upstream fails: graphql: \d+ of the last 10 calls failed: 5xx\. Further GraphQL calls are held back/,
    ),
    fault: 'Upstream, or the network to it',
    action: expect.stringContaining('contact its operator with the upstream request ids'),
  });
  await page.getByText('40 of 40 GraphQL operations').last().waitFor();
  expect(await page.locator('#state').innerText()).toBe('Failing');
  expect(await page.locator('#state').getAttribute('data-state')).toBe('failing'); // red
  expect((await supertest(stack.opsUrl).get('/readyz')).status).toBe(200);
  expect(await page.locator('#tile-failed dd').innerText()).toMatch(/^100 %\s+40 of 40$/);
  expect(await page.locator('#tile-refused dd').innerText()).toMatch(/^0 %\s+0 of 40$/);
  await examine(page, 'outage-upstream');
  await page.getByRole('button', { name: 'Runbook: BffCircuitOpen' }).click();
  await page.locator('#runbook-text').getByText('Cause.').waitFor();
  await examine(page, 'runbook');
});

test('an issuer that fails: the issuer, and that nothing can be minted', async () => {
  stack = await startStack();
  const page = await openDashboard(browser, stack.opsUrl);
  stack.playground.tokens.revoke({ kind: 'partner' });
  stack.playground.faults.add({ route: 'oauth-token', times: 0, status: 503 });
  for (let n = 0; n < 5; n += 1) await askForToken(stack);
  const [worst] = await readAttention(page, /The issuer gives no new partner token/);
  expect(worst).toMatchObject({
    severity: 'bad',
    what: expect.stringMatching(
      /: status 503\. There is no partner token, so no browser token can be minted/,
    ),
    fault: 'Issuer, or the network to it',
    action: expect.stringContaining('The service asks again by itself'),
  });
  await page
    .getByText(/token requests failed/)
    .first()
    .waitFor();
  await examine(page, 'outage-issuer');
});

test('credentials that the issuer refuses are our own fault, and the setting is named', async () => {
  stack = await startStack({ PARTNER_CLIENT_SECRET: 'wrong-client-secret' });
  const page = await openDashboard(browser, stack.opsUrl);
  const [worst] = await readAttention(page, /The issuer refuses our client credentials/);
  expect(worst).toMatchObject({
    severity: 'bad',
    fault: 'Your PARTNER_CLIENT_ID or PARTNER_CLIENT_SECRET',
    action: expect.stringContaining('Write the correct secret'),
  });
  await examine(page, 'credentials-refused');
});

test('a Redis that does not answer is a warning: requests are served', async () => {
  stack = await startStack({ REDIS_URL: 'redis://127.0.0.1:1' });
  await askForToken(stack);
  const page = await openDashboard(browser, stack.opsUrl);
  const [worst] = await readAttention(page, /Redis does not answer/);
  expect(worst).toMatchObject({
    severity: 'warn',
    what: expect.stringContaining('requests are served'),
    fault: 'Your Redis',
    action: expect.stringContaining('Restore Redis'),
  });
  await examine(page, 'outage-redis');
});

for (const { open } of TEST_DATABASES.filter(({ isServer }) => isServer)) {
  test('a database that does not answer: the replica serves no one, and what it cannot know is not shown', async () => {
    const database = await open();
    const url = new URL(database.settings['DATABASE_URL']!);
    const gate = await openTcpGate(Number(url.port || 5432), url.hostname);
    url.host = `127.0.0.1:${gate.port}`;
    stack = await startStack({ ...WITH_SINK, DATABASE_URL: url.href });
    const page = await openDashboard(browser, stack.opsUrl);
    gate.shut();
    await askForToken(stack);
    const [worst] = await readAttention(page, /The database does not answer/);
    expect(worst).toMatchObject({
      severity: 'bad',
      what: expect.stringContaining('this replica is not ready and serves no one'),
      fault: 'Your database',
      action: expect.stringContaining('Check that it runs'),
    });
    expect(await page.locator('#state').innerText()).toBe('Not ready');
    expect(await page.locator('#tile-dead dd').innerText()).toMatch(/^–\s+unknown$/);
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page
      .locator('#events')
      .getByText(/at the moment\. Try again in \d+ s\./)
      .waitFor();
    await examine(page, 'outage-database');
    gate.open();
    await readAttention(page, 'Nothing needs attention.');
    await stack.close();
    stack = undefined;
    await gate.close();
    await database.drop();
  });
}

test('a sink that fails: how many events wait, and that nothing is lost', async () => {
  stack = await startWithSink(500, 12);
  const page = await openDashboard(browser, stack.opsUrl);
  const [worst] = await readAttention(page, /The event sink does not accept events/);
  expect(worst).toMatchObject({
    severity: 'bad',
    what: expect.stringMatching(/sink: status 500\. 12 events wait for delivery, the oldest for/),
    fault: 'Your event sink',
    action: expect.stringContaining('Nothing is lost'),
  });
  expect(await page.locator('#dependencies').innerText()).toContain('event sink');
  await examine(page, 'outage-sink');
});

test('a flood of dead events is the loudest line, and the page redelivers them all, after a restart too', async () => {
  const environment = { DATA_DIR: mkdtempSync(join(tmpdir(), 'dead-')) };
  sink = await startJsonServer(json({}, 410));
  const first = await startStack({
    ...WITH_SINK,
    ...environment,
    EVENT_SINK_URL: sink.url.href,
    EVENT_SINK_CONCURRENCY: '50',
  });
  for (let sent = 0; sent < 400; sent += 100) {
    await sendWebhook(
      first.url,
      SECRET,
      Array.from({ length: 100 }, () => anEvent()),
    );
  }
  const states = async (url: string, state: string): Promise<number> =>
    (await supertest(url).get(`/events?payload=false&state=${state}`)).body.items.length;
  await until(async () => (await states(first.opsUrl, 'pending')) === 0, 60_000);
  let page = await openDashboard(browser, first.opsUrl);
  const said = /^400 events are dead: the sink will never get them unless someone redelivers them\.$/;
  const [flood] = await readAttention(page, said);
  expect(flood).toMatchObject({
    severity: 'bad',
    fault: 'Your event sink',
    action: expect.stringContaining('Redeliver all matching'),
  });
  await examine(page, 'flood-of-dead-events');
  await first.service.close();

  const service = await startSilently(first.environment);
  stack = {
    ...first,
    service,
    opsUrl: service.opsUrl,
    close: async () => {
      await service.close();
      await first.playground.close();
    },
  };
  page = await openDashboard(browser, service.opsUrl);
  const [dead, started] = await readAttention(page, said);
  expect([dead, started]).toMatchObject([{ what: expect.stringMatching(said) }, { severity: 'info' }]);
  await examine(page, 'after-a-restart');

  sink.answer = json({});
  await page.getByLabel('State').selectOption('dead');
  await page.getByRole('button', { name: 'Redeliver all matching…' }).click();
  await page.getByText('400 events match: state dead.').waitFor();
  await page.getByRole('button', { name: 'Redeliver', exact: true }).last().click();
  await page.locator('#redelivery').getByText('400 of 400 queued, 400 delivered').waitFor();
  await examine(page, 'redelivered');
  await readAttention(page, 'Nothing needs attention.');
});
