import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';

const WAIT_MS = 15_000;

/** The lines at the top of the dashboard: of each, what is wrong, whose fault it is, and what to do. */
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
  await page.locator('#attention-list li').first().waitFor();
  return page;
}

/** Waits until a line says this, and reads all lines. */
export async function readAttention(page: Page, what: string | RegExp): Promise<SaidAttention[]> {
  await page.locator('#attention-list .what').getByText(what).first().waitFor();
  return page.locator('#attention-list li').evaluateAll((items) =>
    (
      items as unknown as {
        dataset: { severity: string };
        querySelector(name: string): { textContent: string } | null;
      }[]
    ).map((item) => ({
      severity: item.dataset.severity,
      what: item.querySelector('.what')?.textContent ?? '',
      fault: item.querySelector('dd')?.textContent ?? '',
      action: item.querySelector('dd:last-of-type')?.textContent ?? '',
    })),
  );
}

/**
 * Keeps pictures of what is visible without scrolling, and of the table of failures, wide and narrow and in both
 * themes, where `SCREENSHOTS_DIR` names a folder.
 */
export async function photograph(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS_DIR'];
  if (!folder) return;
  for (const width of [1_280, 360]) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const path = join(folder, `${name}-${width}-${colorScheme}`);
      await page.evaluate('scrollTo(0, 0)');
      await page.screenshot({ path: `${path}.png` });
      await page.locator('#refusals').screenshot({ path: `${path}-refusals.png` });
    }
  }
}
