import type { BrowserContext, Page } from 'playwright-core';
import supertest from 'supertest';
import type { Playground } from '../../playground/src/playground.js';
import type { Service } from '../../src/service.js';
import { openDemoPage, type DemoPage } from '../support/browser.js';
import { startStack } from '../support/start-stack.js';

jest.setTimeout(30_000); // a browser on a busy machine

/** Conduct of a page that a reader of its code might not expect. */
interface Conduct {
  readonly origins: Set<string>;
  readonly complaints: string[];
}

describe('the demo page', () => {
  let demo: DemoPage;
  let playground: Playground;
  let service: Service;
  let context: BrowserContext;
  let page: Page;
  let conduct: Conduct;

  beforeAll(async () => {
    demo = await openDemoPage();
    ({ playground, service } = demo);
  });

  beforeEach(async () => {
    context = await demo.browser.newContext({ reducedMotion: 'reduce' });
    page = await context.newPage();
    conduct = watch(page);
    await page.goto(service.publicUrl);
    await page.getByRole('checkbox').first().waitFor();
  });
  afterEach(() => context.close());

  const getToken = () => page.getByRole('button', { name: 'Get a token' }).click();
  const summary = () => page.locator('.summary');
  const explanation = () => page.locator('#exchange .explanation').innerText();
  const steps = () => page.getByRole('list', { name: 'Steps of the exchange' });

  async function choose(user: string, hirer: string): Promise<void> {
    await page.getByRole('combobox', { name: 'User' }).selectOption(user);
    await page.getByRole('combobox', { name: 'Hirer' }).selectOption(hirer);
  }

  async function waitForSummary(text: string): Promise<void> {
    await summary().filter({ hasText: text }).waitFor();
  }

  test('shows each call from sign-in to browser token, and the token at work on self', async () => {
    await choose('Amelia Hughes', 'Nusantara Logistics');
    await getToken();
    await waitForSummary('Amelia Hughes got a token for Nusantara Logistics.');
    expect(await steps().locator('> li .title').allInnerTexts()).toEqual([
      'Sign in as Amelia Hughes',
      'POST /auth/token',
      'The BFF checks',
      'Partner token: in memory',
      'POST /auth/token',
      'A browser token',
    ]);
    await page.getByRole('button', { name: 'Run self' }).click();
    await page.getByLabel('Answer to self').filter({ hasText: 'Nusantara Logistics' }).waitFor();
    expect(playground.calls.list({ route: 'graphql' }).at(-1)).toMatchObject({
      token: 'browser',
      status: 200,
    });
  });

  test('shows that asking again is answered from the cache', async () => {
    await getToken();
    await page.getByRole('button', { name: 'Ask again' }).click();
    await waitForSummary('The same token as before, from the cache.');
    expect(await steps().innerText()).toContain('No call to issuer or upstream.');
  });

  test.each([
    ['Amelia Hughes', 'Chao Phraya Hotels', 'does not belong to Chao Phraya Hotels'],
    ['Dora Kelly', 'Banksia Health Group', 'does not belong to Banksia Health Group'],
    ['Amelia Hughes', 'A hirer that does not exist', 'There is no such hirer'],
  ])('explains that %s is refused for %s, without a call', async (user, hirer, explanation) => {
    await choose(user, hirer);
    await getToken();
    await waitForSummary('Refused before any call was made. 403 hirer_forbidden');
    await page.getByText(explanation).waitFor();
    expect(await page.getByLabel('The answer as it came').innerText()).toContain('"code": "hirer_forbidden"');
  });

  test('explains a scope that is not allowed and a request without any', async () => {
    await page.getByRole('checkbox', { name: /position-profiles/ }).check();
    await getToken();
    await waitForSummary('403 scope_forbidden');
    expect(await explanation()).toContain('may not request this scope (ALLOWED_SCOPES)');
    for (const box of await page.getByRole('checkbox').all()) await box.uncheck();
    await getToken();
    await waitForSummary('400 invalid_request');
    expect(await explanation()).toContain('does not have the documented shape');
  });

  test('shows that the upstream refuses a query whose scope the token lacks', async () => {
    await page.getByRole('checkbox', { name: /organizations/ }).uncheck();
    await page.getByRole('checkbox', { name: /ontologies/ }).check();
    await getToken();
    await page.getByRole('button', { name: 'Run self' }).click();
    await page.getByText('The token lacks the scope query:organizations').waitFor();
    expect(await steps().locator('> li').last().innerText()).toContain('FORBIDDEN');
  });

  test('is used without a pointer', async () => {
    await page.getByRole('combobox', { name: 'User' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('button', { name: 'Get a token' }).focus();
    await page.keyboard.press('Enter');
    await waitForSummary('403 hirer_forbidden');
    expect(await explanation()).toContain('Bayu Santoso does not belong to Banksia Health Group');
    await page.getByRole('tab', { name: 'Get a token' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tabpanel', { name: 'Proxy' }).waitFor();
    expect(await page.getByRole('tabpanel').count()).toBe(1);
  });

  describe('the proxy tab', () => {
    beforeEach(() => page.getByRole('tab', { name: 'Proxy' }).click());

    const card = (title: string) => page.getByRole('region', { name: title });
    const run = (title: string) => page.getByRole('button', { name: `Run: ${title}` }).click();

    test('runs a registered operation with the partner token', async () => {
      await run('A registered operation');
      await card('A registered operation').getByText('with the partner token').waitFor();
      expect(await page.getByRole('list', { name: 'Positions' }).locator('li').count()).toBe(3);
    });

    test('shows that one item of a batch fails alone', async () => {
      await run('A batch in which one fails');
      const items = page.getByRole('list', { name: 'Answers in the order of the requests' }).locator('li');
      await items.nth(2).waitFor();
      expect(await items.evaluateAll((all) => all.map((item) => item.dataset['tone']))).toEqual([
        'good',
        'bad',
        'good',
      ]);
    });

    test('saves an attachment through its sealed address', async () => {
      await run('An attachment');
      const downloads = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Download Resume' }).click();
      expect((await downloads).suggestedFilename()).toMatch(/^Resume .+\.pdf$/);
    });

    test('makes a link that the browser follows without a token', async () => {
      await run('An attachment');
      await page.getByRole('button', { name: 'Create a one-use link: Resume' }).click();
      const link = page.getByRole('link', { name: '/attachments/links/' });
      const downloads = page.waitForEvent('download');
      await link.click();
      const download = await downloads;
      expect(download.suggestedFilename()).toMatch(/^Resume .+\.pdf$/);
      expect(await download.failure()).toBeNull();
    });

    test('shows nothing of an application of another hirer', async () => {
      await page.getByRole('combobox', { name: 'Hirer' }).selectOption('Nusantara Logistics');
      await run('An attachment');
      await page.getByText('The object belongs to another hirer.').waitFor();
      expect(await page.getByRole('button', { name: /^Download/ }).count()).toBe(0);
    });
  });

  test('talks to this machine only, and its policy allows nothing else', async () => {
    await getToken();
    await page.getByRole('button', { name: 'Run self' }).click();
    await page.getByLabel('Answer to self').waitFor();
    expect([...conduct.origins].sort()).toEqual(
      [service.publicUrl, playground.upstreamUrl, playground.issuerUrl].sort(),
    );
    expect(conduct.complaints).toEqual([]);

    const reached = await page.evaluate(
      `fetch('${service.opsUrl}/livez', { mode: 'no-cors' }).then(() => 'reached', () => 'stopped')`,
    );
    expect(reached).toBe('stopped');
    expect(conduct.complaints.join()).toContain('Content Security Policy');
  });

  test('is absent from a service that runs against another upstream', async () => {
    const stack = await startStack();
    expect((await supertest(stack.url).get('/')).status).toBe(404);
    expect((await supertest(stack.url).get('/demo/config.json')).status).toBe(404);
  });
});

/** Notes the origins a page asks and every message of its console that is more than talk. */
function watch(page: Page): Conduct {
  const conduct: Conduct = { origins: new Set(), complaints: [] };
  page.on('request', (request) => conduct.origins.add(new URL(request.url()).origin));
  page.on('pageerror', (error) => conduct.complaints.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) conduct.complaints.push(message.text());
  });
  return conduct;
}
