import type { Browser } from 'playwright-core';
import supertest from 'supertest';
import { Conditions } from '../../src/telemetry/conditions/conditions.js';
import { FigureRing } from '../../src/ops/dashboard/figure-ring.js';
import { newFolder } from '../support/machine.js';
import { launchBrowser } from '../support/browser.js';
import { json, startJsonServer, type JsonServer } from '../support/json-server.js';
import { startSilently, startStack, type Stack } from '../support/start-stack.js';
import { until } from '../support/until.js';
import { anEvent, sendWebhook } from '../webhooks/send-webhook.js';
import { openDashboard, examine, readAttention } from './dashboard-view.js';
import { askForToken, askGraphql } from './active-conditions.js';

// The top of the page alone tells the person on call what is wrong, whose fault it is and what to do.

const SECRET = 'a-webhook-secret-of-the-outage-test';
const WITH_SINK = {
  WEBHOOK_SECRETS: SECRET,
  EVENT_SINK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
};

let browser: Browser;
let stack: Stack | undefined;
let sink: JsonServer | undefined;
beforeAll(async () => {
  browser = await launchBrowser();
});
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

/** Has the service look at its figures now rather than within ten seconds. */
async function look(): Promise<void> {
  await stack!.service.app.get(Conditions).look();
}

test('nothing wrong: says so', async () => {
  stack = await startStack();
  await askForToken(stack);
  const page = await openDashboard(browser, stack.opsUrl);
  await readAttention(page, 'Nothing is wrong.');
  await examine(page, 'all-clear');
});

test('an upstream that fails, and a sink: whose fault each is and what to do, the worst first; then when it ended', async () => {
  stack = await startWithSink(500, 12);
  stack.playground.faults.add({
    route: 'graphql',
    times: 0,
    status: 503,
    body: 'x',
    contentType: 'text/plain',
  });
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
  sink!.answer = json({});
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
  const environment = { DATA_DIR: newFolder() };
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
  const said = /^Events were given up; .* \(400 events\)\.$/;
  await first.service.app.get(Conditions).look();
  const [flood] = await readAttention(page, said);
  expect(flood).toMatchObject({ severity: 'warn', fault: expect.stringMatching(/^sink, since /) });
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
