import type { Browser, Page } from 'playwright-core';
import supertest from 'supertest';
import { Conditions } from '../../src/telemetry/conditions/conditions.js';
import { launchBrowser } from '../support/browser.js';
import { json, startJsonServer, type JsonServer, webhookSettings } from '../support/json-server.js';
import { startStack, type Stack } from '../support/start-stack.js';
import { until } from '../support/until.js';
import { anEvent, sendWebhook } from '../webhooks/send-webhook.js';
import { examine, openDashboard, readAttention } from './dashboard-view.js';
import { askGraphql } from './active-conditions.js';

// From a line at the top to the events it speaks of, to one event, its attempts and its redelivery.

const SECRET = 'a-webhook-secret-of-the-event-page';
const MARKUP = '<img src=x onerror=alert(1)>';

let browser: Browser;
let stack: Stack;
let sink: JsonServer;
let page: Page;
let faults: string[];
beforeAll(async () => {
  browser = await launchBrowser();
  sink = await startJsonServer(json({}));
  stack = await startStack({ ...webhookSettings(SECRET, sink), EVENT_SINK_RETRY_SECONDS: '3600' });
});
beforeEach(async () => {
  page = await openDashboard(browser, stack.opsUrl);
  faults = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('dialog', (dialog) => faults.push(dialog.message()));
});
afterEach(() => page.context().close());

async function sendEvent(
  status: number,
  answer: string,
  members: Record<string, unknown> = {},
): Promise<string> {
  sink.answer = (_received, response) => response.writeHead(status).end(answer);
  const event = anEvent({ hirerId: stack.playground.demo.hirers[0]!.hirerId, ...members });
  const tried = async () => {
    const { body } = await supertest(stack.opsUrl).get('/events').query({ id: event.id, payload: 'false' });
    return !['pending', undefined].includes(body.items[0]?.state);
  };
  await sendWebhook(stack.url, SECRET, [event]);
  await until(tried, 20_000);
  return String(event.id);
}

test('a line about dead events leads to these events, and each to a page that says with what status the sink answered', async () => {
  const id = await sendEvent(410, `gone ${MARKUP}`, { note: MARKUP, type: MARKUP });
  await sendEvent(200, '');
  await stack.service.app.get(Conditions).look();
  await readAttention(page, /Events were given up.*\(1 event\)/);
  await page.getByRole('link', { name: 'Show the events' }).click();
  await page.locator('#events-list tbody tr').first().waitFor();
  await until(async () => (await page.locator('#events-list tbody tr').count()) === 1);
  expect(page.url()).toBe(`${stack.opsUrl}/#events?state=dead`);
  await page.locator('#events-list tbody a').first().click();
  await page.getByText('It is not retried.').waitFor();
  expect(page.url()).toBe(`${stack.opsUrl}/#event/${encodeURIComponent(id)}`);
  const [attempt] = await page.locator('#event-attempts tbody tr').allInnerTexts();
  expect(attempt!.split('\t')).toEqual([
    expect.stringMatching(/\d\d:\d\d:\d\d/),
    'default',
    'dead',
    '410',
    expect.stringMatching(/^[\d,.]+ m?s$/),
    'sink: status 410',
  ]);
  expect(await page.locator('#event-payload').innerText()).toContain(MARKUP);
  expect(await page.locator('#event img').count()).toBe(0);
  expect(faults).toEqual([]);
  const { body } = await supertest(stack.opsUrl).get('/audit?action=event.view');
  expect(body.items).toMatchObject([{ subject: id, outcome: 'ok' }]);
  await examine(page, 'event-dead');
});

test('an answer that comes late does not take the place of what was searched for since', async () => {
  await sendEvent(410, '');
  await sendEvent(200, '');
  const released = Promise.withResolvers<void>();
  const isOfAll = (url: URL): boolean => url.pathname === '/events' && !url.searchParams.has('state');
  await page.route(isOfAll, async (route) => {
    await released.promise;
    await route.continue();
  });
  const asked = page.waitForRequest((request) => isOfAll(new URL(request.url())));
  await page.goto(`${stack.opsUrl}/#events`);
  await asked; // of two changes of the address at the same moment, the page loads only the last
  await page.goto(`${stack.opsUrl}/#events?state=dead`);
  const states = async () => [...new Set(await page.locator('#events-list tbody .badge').allInnerTexts())];
  await until(async () => String(await states()) === 'dead');
  const late = page.waitForResponse((response) => isOfAll(new URL(response.url())));
  released.resolve();
  await (await late).finished();
  await page.evaluate(async () => void (await (await fetch('/livez')).text())); // what came before it is shown by now
  expect(await states()).toEqual(['dead']);
});

test('the page of an event has an address of its own, and shows the hirer by name', async () => {
  const { hirers } = stack.playground.demo;
  const id = await sendEvent(200, 'taken', {
    type: 'HirerRelationshipChanged',
    hirerId: hirers[0]!.hirerId,
  });
  await page.goto(`${stack.opsUrl}/#event/${encodeURIComponent(id)}`);
  await page.reload();
  await page.getByText('It was delivered.').waitFor();
  await page.locator('#event-facts summary', { hasText: hirers[0]!.name }).click();
  await page.locator('#event-facts code', { hasText: hirers[0]!.hirerId }).waitFor();
  await examine(page, 'event-delivered');
  await page.goBack();
  await page.goto(`${stack.opsUrl}/#event/of-nobody`);
  await page.getByText('Event "of-nobody" not found.').waitFor();
});

test('an event is redelivered as it was, or as new under another webhook-id', async () => {
  const id = await sendEvent(500, 'no room');
  await page.goto(`${stack.opsUrl}/#event/${encodeURIComponent(id)}`);
  await page.getByText('The last attempt failed. The next attempt is at').waitFor();
  await examine(page, 'event-failed');
  sink.answer = json({});
  const before = sink.received.length;
  await page.getByLabel('as new').first().check();
  await page.locator('#event').getByRole('button', { name: 'Redeliver' }).click();
  await page.getByText('It was delivered.').waitFor();
  expect(sink.received.slice(before).map(({ headers }) => headers['webhook-id'])).toEqual([
    expect.stringMatching(/^redelivery:/),
  ]);
  expect(await page.locator('#event-attempts tbody tr').count()).toBe(2);
});

test('the audit trail shows operation and duration', async () => {
  await askGraphql(stack, 'amelia', 1, 'query q { self { hirer { name } } }');
  await page.locator('#audit-form').getByLabel('Action').fill('graphql');
  await page.locator('#audit-form').getByRole('button', { name: 'Search' }).click();
  const cells = page.locator('#audit-list tbody tr').first().locator('td');
  await cells.getByText('query { self }').waitFor();
  expect(await cells.nth(6).innerText()).toMatch(/^[\d,.]+ m?s$/);
});
