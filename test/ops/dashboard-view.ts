import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { violationsOf } from '../support/browser.js';

const WAIT_MS = 60_000; // for a busy machine

/**
 * The lines at the top of the dashboard: of each, what is wrong, whose fault it is, and what to do, with all that
 * stands beneath.
 */
export interface SaidAttention {
  readonly severity: string;
  readonly what: string;
  readonly fault: string;
  readonly action: string;
}

/** Opens the dashboard of a service without an ops token. */
export async function openDashboard(browser: Browser, opsUrl: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 900 }, timezoneId: 'UTC' });
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_MS);
  await page.goto(opsUrl);
  await page.locator('#conditions-list li').first().waitFor();
  return page;
}

/** Waits until a line says this, and reads all lines. */
export async function readAttention(page: Page, what: string | RegExp): Promise<SaidAttention[]> {
  await page.locator('#conditions-list .what').getByText(what).first().waitFor();
  return page.locator('#conditions-list li').evaluateAll((items) =>
    (
      items as unknown as {
        dataset: { severity: string };
        querySelector(name: string): { textContent: string } | null;
      }[]
    ).map((item) => ({
      severity: item.dataset.severity,
      what: item.querySelector('.what')?.textContent ?? '',
      fault: item.querySelector('dd')?.textContent ?? '',
      action: item.querySelector('dl')?.textContent ?? '',
    })),
  );
}

/** How much wider page and open dialog are than they may be. */
const OVERFLOW = `[document.documentElement, ...document.querySelectorAll('dialog[open]')]
  .reduce((sum, { scrollWidth, clientWidth }) => sum + scrollWidth - clientWidth, 0)`;

/**
 * Requires that axe finds nothing wrong, in both themes, and that nothing is wider than the page, wide and narrow. Keeps
 * pictures where `SCREENSHOTS_DIR` names a folder.
 */
export async function examine(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS_DIR'];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect([name, colorScheme, await violationsOf(page)]).toEqual([name, colorScheme, []]);
    for (const width of [360, 1_280, 1_440]) {
      await page.setViewportSize({ width, height: 900 });
      expect([name, width, await page.evaluate(OVERFLOW)]).toEqual([name, width, 0]);
      if (folder === undefined) continue;
      await page.evaluate('scrollTo(0, 0)');
      await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage: true });
    }
  }
}
