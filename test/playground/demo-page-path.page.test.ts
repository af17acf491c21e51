import { existsSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { violationsOf, openDemoPage, type DemoPage } from '../support/browser.js';

jest.setTimeout(90_000); // a browser on a busy machine

/** Where `npm run example` serves the example frontend; nothing is there in this suite. */
const EXAMPLE = 'http://localhost:5173/';

describe('the path through the demo page', () => {
  let demo: DemoPage;
  let page: Page;

  beforeAll(async () => {
    demo = await openDemoPage();
  });
  beforeEach(async () => {
    page = await demo.browser.newPage({ reducedMotion: 'reduce' });
    await page.goto(demo.service.publicUrl);
    await page.getByRole('checkbox').first().waitFor();
  });
  afterEach(() => page.close());

  const getToken = () => page.getByRole('button', { name: 'Get a token' }).click();

  test('says first what it is and for whom, and leads through four steps to what comes after', async () => {
    expect(await page.locator('header').innerText()).toContain('For developers who connect a recruitment');
    const tabs = page.getByRole('tab');
    for (const step of [1, 2, 3, 4]) {
      await page.locator(`[role=tab]:nth-child(${step})[aria-selected=true]`).waitFor();
      await page.locator('.next a:visible').click();
    }
    await page.getByRole('heading', { name: 'What’s next' }).waitFor();
    expect(await tabs.nth(3).getAttribute('aria-selected')).toBe('true');
  });

  test('links to pages that are there: the playground’s tabs and the dashboard', async () => {
    await page.getByRole('tab', { name: 'Failures' }).click();
    const links = page.locator('footer').getByRole('link');
    const hrefs = await links.evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href));
    expect(hrefs).toContain(`${demo.playground.upstreamUrl}/#happen`);
    const served = hrefs.filter((href) => href !== EXAMPLE);
    expect(hrefs.length - served.length).toBe(1);
    const statuses = await Promise.all(served.map(async (href) => (await fetch(href)).status));
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  test('names documents that are in the repository', async () => {
    const names = await page.locator('footer code', { hasText: /^docs\// }).allInnerTexts();
    expect(names.length).toBeGreaterThan(2);
    expect(names.filter((name) => !existsSync(name))).toEqual([]);
  });

  test('takes user and hirer along to the next step, and removes the results of another choice', async () => {
    await getToken();
    await page.getByRole('button', { name: 'Run self' }).waitFor();
    await page.getByRole('combobox', { name: 'User' }).selectOption('Bayu Santoso');
    await page.getByRole('combobox', { name: 'Hirer' }).selectOption('Chao Phraya Hotels');
    expect(await page.getByRole('button', { name: 'Run self' }).count()).toBe(0);
    await page.getByRole('tab', { name: 'Proxy' }).click();
    await page.getByRole('button', { name: 'Run: A batch in which one fails' }).click();
    const answers = page.getByRole('list', { name: 'Answers in the order of the requests' });
    await answers.getByText('Chao Phraya Hotels').waitFor();
    await page.getByRole('combobox', { name: 'User' }).selectOption('Chanida Wongsa');
    expect(await page.locator('#proxy .result:not(:empty)').count()).toBe(0);
  });

  test.each(['token', 'proxy', 'events', 'failures'])(
    'step %s is without a violation, light and dark, and fits a screen of 360 pixels',
    async (tab) => {
      await page.goto(`${demo.service.publicUrl}/#${tab}`);
      const run = page.getByRole('tabpanel').getByRole('button', { name: /^(Get a token|Run: |Make it)/ });
      await run.first().click();
      await page.locator('.sequence').first().waitFor();
      for (const [width, colorScheme] of [
        [1280, 'light'],
        [360, 'dark'],
      ] as const) {
        await page.setViewportSize({ width, height: 740 });
        await page.emulateMedia({ colorScheme });
        expect(await violationsOf(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      }
    },
  );
});
