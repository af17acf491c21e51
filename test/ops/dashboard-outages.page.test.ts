import type { Browser } from 'playwright-core';
import supertest from 'supertest';
import { Conditions } from '../../src/telemetry/conditions/conditions.js';
import { FigureRing } from '../../src/ops/dashboard/dashboard-sampler.js';
import { newFolder } from '../support/machine.js';
import { launchBrowser } from '../support/browser.js';
import { json, startJsonServer, webhookSettings } from '../support/json-server.js';
import { startSilently, startStack, type Stack } from '../support/start-stack.js';
import { until } from '../support/until.js';
import { anEvent, sendWebhook } from '../webhooks/send-webhook.js';
import { openDashboard, examine, readAttention } from './dashboard-view.js';
import { askForToken, askGraphql } from './active-conditions.js';

// The top of the page alone tells the person on call what is wrong, whose fault it is and what to do.

const SECRET = 'a-webhook-secret-of-the-outage-test';

let browser: Browser;
let stack: Stack;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterEach(() => Promise.all(browser.contexts().map((context) => context.close())));

const sendEvents = (count: number): Promise<unknown> =>
  sendWebhook(
    stack.url,
    SECRET,
    Array.from({ length: count }, () => anEvent()),
  );

/** Has the service look at its figures now rather than within ten seconds. */
const look = (): Promise<void> => stack.service.app.get(Conditions).look();

test('nothing wrong: says so', async () => {
  stack = await startStack();
  await askForToken(stack);
  const page = await openDashboard(browser, stack.opsUrl);
  await readAttention(page, 'Nothing is wrong.');
  await examine(page, 'all-clear');
});

test('an upstream that fails, and a sink: whose fault each is and what to do, the worst first; then when it ended', async () => {
  const sink = await startJsonServer(json({}, 500));
  stack = await startStack({ ...webhookSettings(SECRET, sink) });
  await sendEvents(12);
  stack.playground.faults.add({ route: 'graphql', times: 0, status: 503 });
  await askGraphql(stack, 'amelia', 4);
  const page = await openDashboard(browser, stack.opsUrl);
  const [worst, other] = await readAttention(page, /Deliveries to the event sink are failing/);
  expect(worst).toMatchObject({
    severity: 'bad',
    what: 'The upstream is failing (graphql: 5xx).',
    fault: expect.stringMatching(/^upstream, since /),
    action: expect.stringMatching(/What to doSend its operator .*docs\/runbook\.md#upstream-failing/),
  });
  expect(other).toMatchObject({ severity: 'warn', fault: expect.stringMatching(/^sink, since /) });
  expect(await page.locator('#state').innerText()).toBe('Failing');
  await examine(page, 'outage-upstream');
  sink.answer = json({});
  await supertest(stack.opsUrl).post('/events/redeliver').send({ state: 'failed' });
  await readAttention(page, /^Over: deliveries to the event sink are failing.*It ended at /);
});

test('what ended is one line where it is much, the latest first; a token that is handed out no more is none', async () => {
  stack = await startStack();
  const conditions = stack.service.app.get(Conditions);
  for (const name of ['redis-failing', 'database-failing', 'webhooks-not-stored'] as const) {
    const calls = conditions.calls(name, 'of this test');
    for (let n = 0; n < 3; n += 1) calls.failed('no answer');
    calls.succeeded();
    const endedAt = Date.now();
    await until(() => Date.now() > endedAt);
  }
  const limits = conditions.calls('upstream-rate-limited', 'browser tokens');
  for (let n = 0; n < 3; n += 1) limits.failed('429');
  conditions.figure('partner-token-missing', () => 'none is handed out');
  await look();
  await stack.service.app.get(FigureRing, { strict: false }).take(); // the token in hand has minutes left
  const page = await openDashboard(browser, stack.opsUrl);
  const lines = await readAttention(page, '3 ended in the last hour');
  expect(lines.map(({ severity }) => severity)).toEqual(['bad', 'bad', 'info']);
  expect(await page.locator('#tile-token dd').first().innerText()).toBe('none');
  await examine(page, 'many-ended');
  await page.getByText('3 ended in the last hour').click();
  const ended = await page.locator('#conditions-list details p').allInnerTexts();
  expect(ended).toEqual([/webhooks/, /database/, /Redis/].map((what) => expect.stringMatching(what)));
  await examine(page, 'many-ended-open');
});

test('a flood of dead events is the loudest line, and the page redelivers them all, after a restart too', async () => {
  const sink = await startJsonServer(json({}, 410));
  const settings = { ...webhookSettings(SECRET, sink), EVENT_SINK_CONCURRENCY: '50' };
  stack = await startStack({ ...settings, DATA_DIR: newFolder() });
  for (let hundreds = 0; hundreds < 4; hundreds += 1) await sendEvents(100);
  const pending = async (): Promise<unknown[]> =>
    (await supertest(stack.opsUrl).get('/events?payload=false&state=pending')).body.items;
  await until(async () => (await pending()).length === 0, 60_000);
  let page = await openDashboard(browser, stack.opsUrl);
  const said = /^Events were given up; .* \(400 events\)\.$/;
  await look();
  const [flood] = await readAttention(page, said);
  expect(flood).toMatchObject({ severity: 'warn', fault: expect.stringMatching(/^sink, since /) });
  await examine(page, 'flood-of-dead-events');
  await stack.service.close();

  const service = await startSilently(stack.environment);
  stack = { ...stack, service, opsUrl: service.opsUrl };
  page = await openDashboard(browser, stack.opsUrl);
  await look();
  await readAttention(page, said);
  await examine(page, 'after-a-restart');

  sink.answer = json({});
  await page.getByLabel('State').selectOption('dead');
  await page.getByRole('button', { name: 'Redeliver all matching…' }).click();
  await page.getByText('400 events match: state dead.').waitFor();
  await page.getByRole('button', { name: 'Redeliver', exact: true }).last().click();
  await page.getByText('400 events are queued for delivery.').waitFor();
  await examine(page, 'redelivered');
  await look();
  await readAttention(page, 'Nothing is wrong.');
});
