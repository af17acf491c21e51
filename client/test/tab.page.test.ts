import type { Browser, BrowserContext, JSHandle, Page } from 'playwright-core';
import { BANKSIA, NUSANTARA } from '../../test/proxy/proxy-stack.js';
import { launchBrowser } from '../../test/support/browser.js';
import { startStack, type Stack } from '../../test/support/start-stack.js';
import { anEvent, sendWebhook } from '../../test/webhooks/send-webhook.js';
import { servePage } from './page-server.js';
import { bundleFile } from './project.js';
import type { Tab, TabOptions } from './tab.js';

jest.setTimeout(60_000); // a bundler and a browser on a busy machine

const SECRET = 'a-secret-of-the-tab-tests';
const SCOPE = 'query:ontologies query:organizations';

let stack: Stack;
let origin: string;
let browser: Browser;
let context: BrowserContext;

beforeAll(async () => {
  const script = await bundleFile('client/test/tab.ts');
  origin = await servePage(() => script);
  browser = await launchBrowser();
});
beforeEach(async () => {
  stack = await startStack({ CORS_ORIGINS: origin, WEBHOOK_SECRETS: SECRET });
  context = await browser.newContext();
});
afterEach(async () => {
  await context.close();
});

/** A tab of Amelia. */
async function openTab(options: Partial<TabOptions> = {}): Promise<{ page: Page; tab: JSHandle<Tab> }> {
  const page = await context.newPage();
  await page.goto(origin);
  await page.waitForFunction(() => 'Tab' in globalThis);
  const all: TabOptions = {
    url: stack.url,
    upstreamUrl: stack.playground.upstreamUrl,
    userToken: await stack.playground.signIn('amelia'),
    hirerId: BANKSIA,
    scope: SCOPE,
    ...options,
  };
  const tab = await page.evaluateHandle(
    (given) => new (globalThis as unknown as { Tab: new (options: TabOptions) => Tab }).Tab(given),
    all,
  );
  return { page, tab };
}

test('the hooks show the current hirer, and events as they happen until the user signs out', async () => {
  const { page, tab } = await openTab();
  await tab.evaluate((own) => own.render());
  await page.locator('#hooks', { hasText: `${BANKSIA} open` }).waitFor();
  await tab.evaluate((own, hirerId) => own.switchHirer(hirerId), NUSANTARA);
  await page.locator('#hooks', { hasText: `${NUSANTARA} open` }).waitFor();
  const event = anEvent();
  await sendWebhook(stack.url, SECRET, [event]);
  await page.locator('#hooks', { hasText: event['id'] as string }).waitFor();
  await tab.evaluate((own) => own.signOut());
  await page.locator('#hooks', { hasText: 'none closed' }).waitFor();
});

test('a view of Apollo Client never shows one hirer under another, nor anything after sign-out', async () => {
  const { page, tab } = await openTab();
  await tab.evaluate((own) => own.render());
  const names: Record<string, string> = {
    [BANKSIA]: 'Banksia Health Group',
    [NUSANTARA]: 'Nusantara Logistics',
  };
  await page.locator('#self', { hasText: names[BANKSIA]! }).waitFor();
  for (const hirerId of [NUSANTARA, BANKSIA]) {
    await tab.evaluate((own, next) => own.switchHirer(next), hirerId);
    await page.locator('#self', { hasText: names[hirerId]! }).waitFor();
  }
  await tab.evaluate((own) => own.signOut());
  await page.locator('#self', { hasText: 'SESSION_ENDED' }).waitFor();
  expect(await page.locator('#self').innerText()).toBe('SESSION_ENDED signed_out');
  const shown = await tab.evaluate((own) => own.shown());
  const wrong = shown.filter(([hirerId, name]) => name != null && name !== names[hirerId ?? '']);
  expect(wrong).toEqual([]);
});
