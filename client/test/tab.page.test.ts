import type { Browser, BrowserContext, JSHandle, Page } from 'playwright-core';
import { BANKSIA, NUSANTARA } from '../../test/proxy/proxy-stack.js';
import { launchBrowser } from '../../test/support/browser.js';
import { startStack, type Stack } from '../../test/support/start-stack.js';
import { anEvent, sendWebhook } from '../../test/webhooks/send-webhook.js';
import { servePage, type PageServer } from './page-server.js';
import type { Tab, TabOptions } from './tab.js';

jest.setTimeout(60_000); // a bundler and a browser on a busy machine

const SECRET = 'a-secret-of-the-tab-tests';
const SCOPE = 'query:ontologies query:organizations';

let stack: Stack;
let pageServer: PageServer;
let browser: Browser;
let context: BrowserContext;

beforeAll(async () => {
  pageServer = await servePage('client/test/tab.ts');
  browser = await launchBrowser();
});
afterAll(async () => {
  pageServer.close();
});

beforeEach(async () => {
  stack = await startStack({
    CORS_ORIGINS: pageServer.origin,
    WEBHOOK_SECRETS: SECRET,
  });
  context = await browser.newContext();
});
afterEach(async () => {
  await context.close();
});

/** A tab of Amelia. */
async function openTab(options: Partial<TabOptions> = {}): Promise<{ page: Page; tab: JSHandle<Tab> }> {
  const page = await context.newPage();
  await page.goto(pageServer.origin);
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

const mints = (): number => stack.playground.calls.list({ route: 'auth-token' }).length;

test('a network that is cut in the middle of a run leaves what came, and the rest comes when it is back', async () => {
  const known = [...stack.playground.world.locations.keys()];
  const ids = Array.from({ length: 200 }, (_, at) => known[at % known.length]!);
  const { tab } = await openTab();
  let served = 0;
  await context.route(`${stack.playground.upstreamUrl}/graphql`, (route) => {
    served += 1;
    return served > 4 ? route.abort('internetdisconnected') : route.continue();
  });
  const cut = await tab.evaluate((own, all) => own.load(all), ids);
  expect(cut).toEqual({ ids: ids.slice(0, cut.ids.length), error: 'NETWORK_ERROR' });
  expect(cut.ids.length).toBeGreaterThan(0);
  await context.unroute(`${stack.playground.upstreamUrl}/graphql`);
  expect(await tab.evaluate((own, all) => own.load(all), ids)).toEqual({ ids, error: undefined });
});

test('Apollo Client reads the upstream directly, each language from its own part of the cache', async () => {
  const id = [...stack.playground.world.jobCategories.keys()][0]!;
  const { tab } = await openTab();
  const names = await tab.evaluate(async (own, category) => {
    const read: string[] = [];
    for (const language of ['en-AU', 'id-ID', 'th-TH', 'en-AU']) {
      own.setLanguage(language);
      read.push(await own.category(category));
    }
    return read;
  }, id);
  expect(new Set(names).size).toBe(3);
  expect(names[3]).toBe(names[0]);
  const calls = stack.playground.calls.list({ route: 'graphql' }).filter(({ method }) => method === 'POST');
  expect(new Set(calls.map(({ token }) => token))).toEqual(new Set(['browser']));
});

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
  const self = page.locator('#self');
  await page.locator('#self', { hasText: 'Banksia Health Group' }).waitFor();
  for (const [hirerId, name] of [
    [NUSANTARA, 'Nusantara Logistics'],
    [BANKSIA, 'Banksia Health Group'],
  ] as const) {
    await tab.evaluate((own, next) => own.switchHirer(next), hirerId);
    await page.locator('#self', { hasText: name }).waitFor();
  }
  await tab.evaluate((own) => own.signOut());
  await page.locator('#self', { hasText: 'SESSION_ENDED' }).waitFor();
  expect(await self.innerText()).toBe('SESSION_ENDED signed_out');
  const shown = await tab.evaluate((own) => own.shown());
  const names: Record<string, string> = {
    [BANKSIA]: 'Banksia Health Group',
    [NUSANTARA]: 'Nusantara Logistics',
  };
  const wrong = shown.filter(([hirerId, name]) => name != null && name !== names[hirerId ?? '']);
  expect(wrong).toEqual([]);
});

test('a token that expires in the middle of a run is renewed once, and every item comes', async () => {
  const known = [...stack.playground.world.locations.keys()];
  const ids = Array.from({ length: 200 }, (_, at) => known[at % known.length]!);
  const { tab } = await openTab();
  let served = 0;
  await context.route(`${stack.playground.upstreamUrl}/graphql`, (route) => {
    served += 1;
    if (served === 5) stack.playground.tokens.expire({ kind: 'browser' });
    return route.continue();
  });
  expect(await tab.evaluate((own, all) => own.load(all), ids)).toEqual({ ids, error: undefined });
  expect([served, mints()]).toEqual([11, 2]);
});

test('a link on the page saves a file, once', async () => {
  const { attachments, candidateProfiles } = stack.playground.world;
  const { profileId } = [...attachments.values()].find(
    ({ hirerId, profileId: id }) =>
      hirerId === BANKSIA && candidateProfiles.get(id)?.positionProfileId != null,
  )!;
  const { page, tab } = await openTab();
  await tab.evaluate((own, id) => own.link(id), profileId);
  const saving = page.waitForEvent('download');
  await page.getByRole('link', { name: 'The file' }).click();
  expect((await saving).suggestedFilename()).toMatch(/\.\w+$/);
  const url = await page.getByRole('link').getAttribute('href');
  expect((await fetch(url!)).status).toBe(404);
});
