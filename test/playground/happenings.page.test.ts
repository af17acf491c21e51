import { openPlayground } from '../support/start-stack.js';
import type { Browser, Page } from 'playwright-core';
import type { Playground } from '../../playground/src/playground.js';
import { violationsOf, launchBrowser } from '../support/browser.js';

jest.setTimeout(90_000); // a browser on a busy machine

describe('the page that makes things happen', () => {
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
