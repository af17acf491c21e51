import type { Page } from 'playwright-core';
import { openDemoPage, type DemoPage } from '../support/browser.js';

jest.setTimeout(60_000); // a browser on a busy machine, and a token that is kept for five seconds

describe('the failures tab of the demo page', () => {
  let demo: DemoPage;
  let page: Page;
  const card = (title: string) => page.getByRole('region', { name: title });

  async function open(): Promise<void> {
    page = await demo.browser.newPage({ reducedMotion: 'reduce' });
    await page.goto(`${demo.service.publicUrl}/#failures`);
  }

  /** Runs a scenario; how each step ended, by who called whom. */
  async function run(title: string): Promise<string[]> {
    await page.getByRole('button', { name: `Run: ${title}` }).click();
    return outcomesOf(title);
  }

  async function outcomesOf(title: string): Promise<string[]> {
    await card(title).getByText('Running…').waitFor({ state: 'hidden' });
    await card(title).getByText('The answer').waitFor();
    const outcomes = card(title).locator('.step:has(.outcome)');
    return outcomes.evaluateAll((steps) =>
      steps.map((step) =>
        ['p.unseen', '.outcome', '.title'].map((part) => step.querySelector(part)!.textContent).join(' | '),
      ),
    );
  }

  describe('while the issuer answers', () => {
    beforeAll(async () => {
      demo = await openDemoPage();
    });
    beforeEach(open);
    afterEach(() => page.close());

    test('shows that a rate limit is passed on with its pause, without another try', async () => {
      expect(await run('The upstream rate-limits us')).toEqual([
        'BFF → Upstream | 429 | POST /graphql',
        'BFF → Browser | 429 | RATE_LIMITED',
      ]);
      await card('The upstream rate-limits us').getByText('Retry-After: 7').waitFor();
    });

    test('shows that a hanging upstream is given up at the deadline', async () => {
      expect(await run('The upstream hangs')).toEqual([
        'BFF → Upstream | no answer | POST /graphql',
        'BFF → Browser | 504 | UPSTREAM_TIMEOUT',
      ]);
    });

    test('shows that a query whose connection breaks is sent once more', async () => {
      expect(await run('The connection breaks')).toEqual([
        'BFF → Upstream | no answer | POST /graphql',
        'BFF → Upstream | 200 | POST /graphql',
        'BFF → Browser | 200 | The data',
      ]);
    });

    test('shows that a refused partner token is replaced, and nothing of it reaches the page', async () => {
      expect(await run('The partner token is refused')).toEqual([
        'BFF → Upstream | 200 UNAUTHENTICATED | POST /graphql',
        'BFF → Issuer | 200 | POST /oauth/token',
        'BFF → Upstream | 200 | POST /graphql',
        'BFF → Browser | 200 | The data',
      ]);
    });

    test('shows one failure at a time, the one pressed last, met by its own fault however fast one presses', async () => {
      const titles = ['The upstream rate-limits us', 'The connection breaks', 'The upstream returns garbage'];
      for (const title of titles) await page.getByRole('button', { name: `Run: ${title}` }).click();
      expect((await outcomesOf(titles[2]!)).at(-1)).toBe('BFF → Browser | 502 | UPSTREAM_ERROR');
      expect(await page.locator('#failures .experiment > .result:not(:empty)').count()).toBe(1);
    });

    test('removes what was shown for another hirer, also what comes later', async () => {
      await run('The upstream rate-limits us');
      await page.getByRole('button', { name: 'Run: The connection breaks' }).click();
      await page.getByRole('combobox', { name: 'Hirer' }).selectOption('Nusantara Logistics');
      await run('The upstream returns garbage');
      expect(await page.locator('#failures .result:not(:empty)').count()).toBe(1);
    });
  });

  test('shows an outage of the issuer, and leaves nothing behind that spoils the next failure', async () => {
    demo = await openDemoPage();
    await open();
    const outcomes = await run('The issuer is down');
    expect(outcomes).toContain('BFF → Issuer | 503 | POST /oauth/token');
    expect(outcomes.at(-1)).toBe('BFF → Browser | 200 | UNAUTHENTICATED');
    await card('The issuer is down').getByText('got none').waitFor();
    expect(demo.playground.faults.list()).toEqual([]);
    expect(await run('The upstream rate-limits us')).toContain('BFF → Browser | 429 | RATE_LIMITED');
  });
});
