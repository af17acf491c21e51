import type { Browser, JSHandle, Page } from 'playwright-core';
import { BANKSIA, NUSANTARA } from '../../test/proxy/proxy-stack.js';
import { launchBrowser } from '../../test/support/browser.js';
import { startStack, type Stack } from '../../test/support/start-stack.js';
import { servePage, type PageServer } from './page-server.js';
import { NAMES } from './two-hirers.js';
import type { UrqlViewsPage } from './urql-views-page.js';

jest.setTimeout(60_000); // a bundler and a browser on a busy machine

let server: PageServer;
let stack: Stack;
let browser: Browser;
let tab: Page;
beforeAll(async () => {
  server = await servePage('client/test/urql-views-page.ts');
  stack = await startStack({ CORS_ORIGINS: server.origin });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await stack.close();
  server.close();
});
afterEach(() => tab.close());

async function open(hirerId: string): Promise<JSHandle<UrqlViewsPage>> {
  tab = await browser.newPage();
  await tab.goto(server.origin);
  await tab.waitForFunction(() => 'UrqlViewsPage' in globalThis);
  const options = { url: stack.url, hirerId, userToken: await stack.playground.signIn('amelia') };
  const page = await tab.evaluateHandle((given) => {
    type Page = new (options: object) => UrqlViewsPage;
    return new (globalThis as unknown as { UrqlViewsPage: Page }).UrqlViewsPage(given);
  }, options);
  await tab.getByText(NAMES[hirerId]!).waitFor();
  return page;
}

describe.each([
  [BANKSIA, NUSANTARA],
  [NUSANTARA, BANKSIA],
])('views of urql in React, %s current', (current, other) => {
  const right = [current, other].flatMap((hirerId) => [
    [hirerId, ''],
    [hirerId, NAMES[hirerId]],
  ]);

  test('a view of another hirer never shows the data of the one before', async () => {
    const page = await open(current);
    await page.evaluate((views, hirerId) => views.show(hirerId), other);
    await tab.getByText(NAMES[other]!).waitFor();
    await page.evaluate((views, hirerId) => views.show(hirerId), current);
    await tab.getByText(NAMES[current]!).waitFor();
    for (const shown of await page.evaluate((views) => views.shown)) expect(right).toContainEqual(shown);
  });

  test.each(['switch', 'sign-out'] as const)(
    'a view that asks no more keeps nothing after a %s',
    async (end) => {
      const page = await open(current);
      await page.evaluate((views) => views.pause());
      await tab.getByText('paused').waitFor();
      const before = await page.evaluate((views) => views.shown.length);
      if (end === 'switch') await page.evaluate((views, hirerId) => views.switchHirer(hirerId), other);
      else await page.evaluate((views) => views.signOut());
      await tab.waitForFunction(([views, count]) => views.shown.length > count, [page, before] as const);
      const after = (await page.evaluate((views) => views.shown)).slice(before);
      for (const [hirerId, name] of after) {
        expect([hirerId === current, name]).not.toEqual([false, NAMES[current]]);
      }
      expect(await tab.locator('p').textContent()).not.toContain(NAMES[current]);
    },
  );
});
