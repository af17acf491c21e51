import { openPlayground } from '../support/start-stack.js';
import type { Browser, Page } from 'playwright-core';
import supertest from 'supertest';
import type { Playground } from '../../playground/src/playground.js';
import { violationsOf, launchBrowser } from '../support/browser.js';
import { json, startJsonServer } from '../support/json-server.js';

jest.setTimeout(90_000); // a browser on a busy machine

const SCREENS = [
  [1280, 'light', 'rgb(250, 249, 246)'],
  [360, 'dark', 'rgb(19, 21, 25)'],
] as const;

describe('the pages of the playground in a browser', () => {
  let playground: Playground;
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];
  beforeAll(async () => {
    playground = await openPlayground({ size: 100 });
    browser = await launchBrowser();
    page = await browser.newPage();
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  });

  describe.each(SCREENS)('at %i pixels, %s', (width, colorScheme, ground) => {
    beforeEach(async () => {
      await page.setViewportSize({ width, height: 740 });
      await page.emulateMedia({ colorScheme });
    });

    test.each(['/', '/#calls', '/#happen'])('%s fits, is so and without a violation', async (path) => {
      await page.goto(playground.upstreamUrl + path, { waitUntil: 'networkidle' });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(ground);
      expect(await violationsOf(page)).toEqual([]);
      expect(complaints).toEqual([]);
    });

    test('GraphiQL opens with a query that shows ads as it is, without a violation', async () => {
      await page.goto(`${playground.upstreamUrl}/graphql`);
      await page.getByRole('button', { name: /^Execute query/ }).click();
      const answer = page.locator('.result-window');
      await answer.getByText('Active').first().waitFor();
      for (const part of ['.graphiql-query-editor', '.graphiql-response']) {
        const { x, width: wide, height } = (await page.locator(part).boundingBox())!;
        expect([x >= 0, x + wide <= width, wide > 300, height > 150]).toEqual([true, true, true, true]);
      }
      expect(playground.calls.list({ route: 'graphql' }).at(-1)!.ruleBreaks).toEqual([]);
      expect(await violationsOf(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      await page.getByRole('link', { name: 'All operations' }).click();
      await page.getByRole('tab', { name: 'Operations' }).waitFor();
    });
  });

  test('names each link by its operation, once for each kind of token, and finds operations', async () => {
    await page.goto(playground.upstreamUrl);
    const links = page.getByRole('list').getByRole('link');
    await links.first().waitFor();
    const names = await links.evaluateAll((all) =>
      all.map((link) => link.getAttribute('aria-label') ?? link.textContent),
    );
    expect(names).toEqual(expect.arrayContaining(['location', 'location as Banksia Health Group', 'event']));
    expect(names).not.toContain('event as Banksia Health Group');
    expect(new Set(names).size).toBe(names.length);
    expect(await page.locator('body').innerText()).not.toContain('`');
    await page.getByLabel('Find an operation').fill('nearestLoc');
    await page.getByText(/^1 of \d+ operations$/).waitFor();
    expect(await links.first().innerText()).toBe('nearestLocations');
  });

  test('is used without a pointer', async () => {
    await page.goto(playground.upstreamUrl);
    await page.getByRole('tab', { name: 'Operations' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tabpanel', { name: 'Calls' }).waitFor();
    expect(new URL(page.url()).hash).toBe('#calls');
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tabpanel', { name: 'Make things happen' }).waitFor();
    expect(await page.getByRole('tabpanel').count()).toBe(1);
  });

  /** Anew: an address that differs in its fragment alone loads nothing. */
  async function openCalls(): Promise<void> {
    await page.goto('about:blank');
    await page.goto(`${playground.upstreamUrl}/#calls`);
  }

  test('"only what failed" finds a GraphQL error, and what is no GraphQL answer, under status 200', async () => {
    playground.calls.clear();
    const send = (query: string) => supertest(playground.upstreamUrl).post('/graphql').send({ query });
    await send('{ version }');
    await send('{ self { partner { name } } }');
    playground.faults.add({ route: 'graphql', body: '<html>', contentType: 'text/html' });
    await send('{ version }');
    await openCalls();
    await page.getByLabel('Only what failed').check();
    await page.getByText('2 of 3 calls').waitFor();
    const statuses = page.locator('#call-list .status');
    expect(await statuses.allInnerTexts()).toEqual(['200', '200 UNAUTHENTICATED']);
    await page.getByLabel('Only what failed').uncheck();
  });

  test('the call log shows a call with its ids, and finds it by them', async () => {
    playground.calls.clear();
    const requestId = '5b0b1b0e-7d5c-4a86-9f2e-1f2f7a7e9d11';
    const send = (query: string) => supertest(playground.upstreamUrl).post('/graphql').send({ query });
    await send('{ version }').set('X-Request-Id', requestId);
    await send('{ self { partner { name } } }');
    await openCalls();
    const calls = page.getByRole('list', { name: 'Calls' }).getByRole('listitem');
    await calls.nth(1).waitFor();
    expect(await calls.first().innerText()).toContain('Query.self');
    await page.getByLabel('Path, operation, session or request id').fill(requestId);
    await page.getByText('1 of 2 calls').waitFor();
    await calls.first().locator('summary').click();
    expect(await calls.first().innerText()).toMatch(
      new RegExp(`Query\\.version[^]*Request id\\s+${requestId}`),
    );
    expect(complaints).toEqual([]);
  });

  test('the call log shows the webhooks that were sent, what each receiver answered, and nothing of their secret', async () => {
    const url = `${(await startJsonServer(json({}, 410))).url.origin}/hooks`;
    playground.subscribe({ url, secret: 'a-secret-of-the-page-test' });
    playground.events.emit('PositionProfilePosted');
    await openCalls();
    await page.getByLabel('Path, operation, session or request id').fill('webhook');
    const webhook = page.getByRole('list', { name: 'Calls' }).getByRole('listitem').first();
    await webhook.getByText('PositionProfilePosted').first().waitFor();
    expect(await webhook.innerText()).toMatch(
      new RegExp(`Webhook to ${url}\\s+PositionProfilePosted\\s+410`),
    );
    expect(await page.content()).not.toContain('a-secret-of-the-page-test');
    expect(complaints).toEqual([]);
  });

  describe('where things are made to happen', () => {
    beforeAll(async () => {
      await page.goto(`${playground.upstreamUrl}/`);
      await page.getByRole('tab', { name: 'Make things happen' }).click();
      await page.getByRole('option', { name: 'PositionProfileClosed' }).waitFor({ state: 'attached' });
    });
    const log = () => page.getByRole('list', { name: 'Activity' }).getByRole('listitem');

    test('lets a candidate of a given name apply for an ad', async () => {
      await page.getByLabel('Name', { exact: true }).fill('Robin Example');
      await page.getByRole('button', { name: 'Apply' }).click();
      await log().filter({ hasText: 'Robin Example applied: ' }).waitFor();
      const applied = [...playground.world.candidates.values()].at(-1);
      expect(applied?.person.name.formattedName).toBe('Robin Example');
    });

    test('says what happened, the latest first', async () => {
      await page.locator('[name=type]').selectOption('PositionProfilePosted');
      await page.locator('[name=hirerId]').selectOption({ label: 'Banksia Health Group' });
      await page.getByRole('button', { name: 'Trigger' }).click();
      const latest = log().filter({ hasText: 'PositionProfilePosted at Banksia Health Group.' }).first();
      await latest.waitFor();
      expect(await log().first().innerText()).toBe(await latest.innerText());
    });

    test('says what to do where no ad takes applications', async () => {
      for (const { ad } of playground.world.positionProfiles.values()) if (ad) ad.endMs = 0;
      await page.reload();
      await page.getByText('No ad takes applications now.').waitFor();
      expect(await page.getByRole('button', { name: 'Apply' }).isVisible()).toBe(false);
      expect(await violationsOf(page)).toEqual([]);
    });

    test('lets another event happen, and time pass', async () => {
      const told = await log().count();
      await page.locator('[name=type]').selectOption('PositionProfilePosted');
      await page.getByRole('button', { name: 'Trigger' }).click();
      await log().nth(told).waitFor();
      await page.getByRole('button', { name: '+30 days' }).click();
      await log().filter({ hasText: 'The clock was moved: +30 days.' }).waitFor();
      expect(playground.clock.skewedByMs).toBe(30 * 86_400_000);
      await page.getByRole('button', { name: 'Back to now' }).click();
      await log().filter({ hasText: 'The clock was moved: back to now.' }).waitFor();
      expect(playground.clock.skewedByMs).toBe(0);
      expect(complaints).toEqual([]);
    });
  });
});
