import supertest from 'supertest';
import { type Json, askToken, startStack, type Stack } from '../support/start-stack.js';
import type { Browser, Page } from 'playwright-core';
import { FigureRing } from '../../src/ops/dashboard/dashboard-sampler.js';
import { Conditions } from '../../src/telemetry/conditions/conditions.js';
import { launchBrowser } from '../support/browser.js';
import { json, startJsonServer, type JsonServer, webhookSettings } from '../support/json-server.js';
import { examine } from './dashboard-view.js';
import { until } from '../support/until.js';
import { anEvent, sendWebhook } from '../webhooks/send-webhook.js';

const OPS_TOKEN = 'ops-token-of-the-dashboard-test';
const OPS_HEADERS = { authorization: `Bearer ${OPS_TOKEN}` };
const WAIT_MS = 60_000; // for a busy machine

const WEBHOOK_SECRET = 'a-webhook-secret-of-the-page-test';

let sink: JsonServer;
let stack: Stack;
let browser: Browser;
beforeAll(async () => {
  sink = await startJsonServer(json({}, 410));
  stack = await startStack({ OPS_TOKEN, ...webhookSettings(WEBHOOK_SECRET, sink) });
  browser = await launchBrowser();
  await makeTraffic();
  await until(async () => {
    await stack.service.app.get(Conditions).look();
    const { body } = await supertest(stack.opsUrl).get('/conditions').set(OPS_HEADERS);
    return body.items[0].name === 'events-dead';
  });
  await stack.service.app.get(FigureRing, { strict: false }).take();
});

async function makeTraffic(): Promise<void> {
  const { hirers } = stack.playground.demo;
  const amelia = await stack.playground.signIn('amelia');
  for (let i = 0; i < 40; i += 1) {
    await askToken(stack, amelia, { hirerId: hirers[i % 2]!.hirerId, scope: 'query:organizations' });
    await askToken(stack, amelia, { hirerId: '<b>hirer</b>', scope: 'query:organizations' });
    if (i % 4 === 0) await askToken(stack, undefined, {});
  }
  await sendWebhook(stack.url, WEBHOOK_SECRET, [anEvent()]);
  await sendWebhook(stack.url, WEBHOOK_SECRET, [anEvent({ type: 'HirerRelationshipChanged' })]);
}

/** Of the pages of a test: script errors, and requests to any other host. */
const faults: string[] = [];
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()));
  expect(faults.splice(0)).toEqual([]);
});

async function open(): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1_440, height: 900 }, timezoneId: 'UTC' });
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_MS);
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(stack.opsUrl)) faults.push(request.url());
  });
  page.on('console', (message) => {
    const text = message.text();
    if (message.type() === 'error' && !text.includes('401') && !text.includes('404')) faults.push(text);
  });
  await page.goto(stack.opsUrl);
  return page;
}

async function signIn(page: Page): Promise<Page> {
  await page.getByLabel('Ops token').fill(OPS_TOKEN);
  await page.getByLabel('Your name').fill('Anna');
  await page.keyboard.press('Enter');
  await page.locator('#conditions-list li').first().waitFor();
  await page.locator('#audit-list tbody tr').first().waitFor();
  return page;
}

describe('the dashboard', () => {
  test('needs the ops token, which stays out of addresses and ends with the tab', async () => {
    expect((await supertest(stack.opsUrl).get('')).status).toBe(401);
    const page = await open();
    await page.getByRole('heading', { name: 'Who you are' }).waitFor();
    await examine(page, 'sign-in');
    await page.getByLabel('Ops token').fill('a-wrong-token');
    await page.keyboard.press('Enter');
    await page.getByText('The service refused this ops token').waitFor();
    await examine(page, 'sign-in-wrong-token');
    await signIn(page);
    expect(page.url()).not.toContain(OPS_TOKEN);
    expect(await page.evaluate('localStorage.length')).toBe(0);
    expect(await page.context().cookies()).toEqual([]);
  });

  test('shows what happened', async () => {
    const page = await signIn(await open());
    await page.locator('#conditions-list').getByText('Events were given up').waitFor();
    await page.locator('#dependencies li', { hasText: 'event sink' }).waitFor();
    await page.locator('#chart-tokens canvas').waitFor();
    expect(await page.locator('#tile-token dd').first().innerText()).toMatch(/^[23]\d min( \d\d s)?$/);
    await examine(page, 'dashboard');
  });

  test('the figures and the lines of what is wrong are updated without a reload', async () => {
    const page = await signIn(await open());
    await askToken(stack, undefined, {}); // of a minute that the page shows, however long others took
    await stack.service.app.get(FigureRing, { strict: false }).take();
    await page.locator('#tile-failed dd').getByText('refused').waitFor();
    await page.locator('#conditions-list').getByText('Events were given up').waitFor();
  });

  test('untrusted text is not parsed as HTML', async () => {
    const page = await signIn(await open());
    const form = page.locator('#audit-form');
    await form.getByLabel('Outcome').fill('hirer_forbidden');
    await form.getByRole('button', { name: 'Search' }).click();
    await page.locator('#audit-list').getByText('<b>hirer</b>').first().waitFor();
    expect(await page.locator('#audit-list b').count()).toBe(0);
    await page.locator('#audit-list tbody button').first().focus();
    await page.keyboard.press('Enter');
    expect(await page.locator('tr.details').innerText()).toContain('"action": "token"');
  });

  test('records are found by what people know: the subject of a user and the name of a hirer', async () => {
    const page = await signIn(await open());
    const { hirerId, name } = stack.playground.demo.hirers[0]!;
    const form = page.locator('#audit-form');
    await form.getByLabel('User', { exact: true }).fill('amelia');
    await form.getByLabel('Hirer').fill(name.slice(0, 6));
    await form.getByRole('button', { name: 'Search' }).click();
    await page.getByText('Searching…').waitFor({ state: 'hidden' });
    await page.locator('#audit-list tbody tr').first().waitFor();
    await page.locator('#audit-list summary', { hasText: name }).first().waitFor();
    const { hash } = new URL(page.url());
    expect(hash).toBe(`#audit?subject=amelia&hirer=${name.slice(0, 6)}`);
    const hirers = await page.locator('#audit-list tbody td:nth-child(5)').allInnerTexts();
    expect(hirers.length).toBeGreaterThan(0);
    await page.locator('#audit-list summary', { hasText: name }).first().click();
    await page.locator('#audit-list details[open] code', { hasText: hirerId }).waitFor();
  });

  test('a dead event can be redelivered in the list, under the name that was given', async () => {
    const page = await signIn(await open());
    await page.getByLabel('State').selectOption('dead');
    await page.locator('#events').getByRole('button', { name: 'Show', exact: true }).click();
    const rows = page.locator('#events-list tbody tr');
    await rows.nth(1).waitFor();
    sink.answer = json({});
    await rows
      .first()
      .getByRole('button', { name: /Redeliver/ })
      .click();
    await page.getByText('The event is queued for delivery.').waitFor();
    await until(async () => {
      const { body: page } = await supertest(stack.opsUrl).get('/events?state=delivered').set(OPS_HEADERS);
      return page.items.length === 1;
    });
    const { body: audit } = await supertest(stack.opsUrl).get('/audit').set(OPS_HEADERS);
    expect(audit.items.map(({ action, actor }: Json) => `${action} ${actor}`)).toEqual(
      expect.arrayContaining(['event.redeliver Anna']),
    );
  });

  test('what is searched for stands in the address, and an address with a search shows what it finds', async () => {
    const page = await signIn(await open());
    await page.goto(`${stack.opsUrl}/#audit?outcome=hirer_forbidden&since=2026-01-02T03:04:05.000Z`);
    const shown = (outcome: string) => page.locator('#audit-list').getByText(outcome);
    await until(
      async () => (await shown('issued').count()) === 0 && (await shown('hirer_forbidden').count()) > 0,
    );
    expect(await page.locator('#audit-form').getByLabel('From').inputValue()).toBe('2026-01-02T03:04:05');
    await page.locator('#audit-list tbody td:nth-child(9) a').first().click();
    await page.waitForURL(/#audit\?request=[\da-f-]{36}$/);
  });

  test('members are listed, added by the whole id of the hirer alone, and removed', async () => {
    const page = await signIn(await open());
    const { hirerId, name } = stack.playground.demo.hirers[0]!;
    const added = page.locator('#membership-add');
    await added.getByLabel('User').fill('new-user');
    for (const part of [name, hirerId.split(':').at(-1)!]) {
      await added.getByLabel('Hirer').fill(part);
      await added.getByRole('button', { name: 'Grant' }).click();
      await page.locator('#membership-add input:invalid').waitFor();
    }
    const { body } = await supertest(stack.opsUrl).get('/memberships?user=new-user').set(OPS_HEADERS);
    expect(body.items).toEqual([]);
    await added.getByLabel('Hirer').fill(hirerId);
    await added.getByRole('button', { name: 'Grant' }).click();
    await page.getByText('The membership is granted.').waitFor();
    const form = page.locator('#memberships-form');
    await form.getByLabel('User').fill('new-user');
    await form.getByRole('button', { name: 'Show' }).click();
    await page.getByRole('button', { name: `Remove the membership of new-user in ${hirerId}` }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('No matching memberships.').waitFor();
  });

  test('a table that is redrawn keeps its rows, what is selected in them, and the focus', async () => {
    const page = await signIn(await open());
    const kept = await page.evaluate(`import('/dashboard/table.js').then(({ showTable }) => {
      const list = document.body.appendChild(document.createElement('div'));
      const cell = ({ text }) => Object.assign(document.createElement('button'), { textContent: text });
      const show = (...texts) => showTable(list, [{ title: 'Text', cell }], texts.map((text) => ({ text })));
      const buttons = () => [...list.querySelectorAll('button')];
      show('a', 'b', 'c');
      getSelection().selectAllChildren(buttons()[2]);
      buttons()[1].focus();
      show('new', 'b', 'c');
      const same = [document.activeElement.textContent, getSelection().toString(), buttons().length];
      show('new', 'changed', 'c');
      return [...same, document.activeElement.textContent];
    })`);
    expect(kept).toEqual(['b', 'c', 3, 'changed']);
  });
});
