import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../support/browser.js';
import { startProcess, type ServiceProcess } from '../support/start-process.js';
import { startStack } from '../support/start-stack.js';
import { TEST_DATABASES } from '../support/test-database.js';
import { until } from '../support/until.js';
import { examine, openDashboard, readAttention } from './dashboard-view.js';
import { askForToken } from './outage-traffic.js';

// Two replicas on one PostgreSQL, as the dashboard of one of them shows both.

const NAMED_AS_MARKUP = '<img src=x> & <b>two</b>';
/** The time of a slot, of two exchanges, and of the page. */
const SHOWN_MS = 45_000;

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

const running: ServiceProcess[] = [];
afterEach(() => {
  for (const { child } of running) child.kill('SIGKILL');
});

const tile = (page: Page, name: string): Promise<string> =>
  page.locator(`#tile-${name} dd`).first().innerText();

for (const { open } of TEST_DATABASES.filter(({ isServer }) => isServer)) {
  test('figures of one replica or of all, as chosen; one that is killed is gone, one that stops leaves', async () => {
    const database = await open();
    const stack = await startStack({
      ...database.settings,
      EVENTS_SCHEME_ID: '',
      OTEL_RESOURCE_ATTRIBUTES: 'service.instance.id=one',
    });
    const other = await startProcess({
      ...stack.environment,
      OTEL_RESOURCE_ATTRIBUTES: `service.instance.id=${encodeURIComponent(NAMED_AS_MARKUP)}`,
    });
    const third = await startProcess({
      ...stack.environment,
      OTEL_RESOURCE_ATTRIBUTES: 'service.instance.id=three',
    });
    running.push(other, third);
    const page = await openDashboard(browser, stack.opsUrl);
    page.setDefaultTimeout(SHOWN_MS);
    const rows = page.locator('#replicas-list tbody tr');

    await rows.nth(2).waitFor();
    expect(await rows.allInnerTexts()).toEqual([
      expect.stringMatching(/^one \(this one\)\s+(Ready|Degraded)\s/),
      expect.stringContaining(NAMED_AS_MARKUP),
      expect.stringMatching(/^three\s/),
    ]);
    expect(await page.locator('#replicas img, #replicas b').count()).toBe(0);
    expect(await page.locator('#replicas-versions').isVisible()).toBe(false);

    for (const url of [stack.url, other.url, other.url]) await askForToken({ ...stack, url }); // their slot ends meanwhile
    await third.stop();
    await until(async () => (await rows.count()) === 2, SHOWN_MS);

    await page.selectOption('#replica-choice', 'all');
    await page.locator('.window', { hasText: 'of all replicas' }).first().waitFor();
    await until(async () => (await tile(page, 'failed')).endsWith('of 3'), SHOWN_MS);
    await examine(page, 'fleet-all');

    await page.selectOption('#replica-choice', { label: NAMED_AS_MARKUP });
    await page
      .locator('.window', { hasText: `of replica ${NAMED_AS_MARKUP}` })
      .first()
      .waitFor();
    await until(async () => (await tile(page, 'failed')).endsWith('of 2'), SHOWN_MS);
    expect(await page.locator('#dependencies li', { hasText: 'database' }).innerText()).toMatch(/limit 10 s/);
    await readAttention(page, `Replica ${NAMED_AS_MARKUP} started`);
    expect(await page.getByText(/his replica started/).count()).toBe(0);
    await examine(page, 'fleet-other');

    await other.stop('SIGKILL');
    const age = `UPDATE replicas SET seen_at = seen_at - 60000, version = '0.0.1' WHERE name = $1`;
    await database.database.query(age, [NAMED_AS_MARKUP]);
    await page.locator('#state', { hasText: 'Gone' }).waitFor();
    expect(await page.locator('#dependencies').innerText()).toContain('What it said last');
    await page
      .locator('.window', { hasText: /: last figures, of \d/ })
      .first()
      .waitFor();
    expect(await rows.nth(1).innerText()).toMatch(/Gone\s+0\.0\.1\s.*last seen/);
    const said = await readAttention(page, /is gone: it was not seen for a minute/);
    expect(said.map(({ what }) => what)).not.toContainEqual(expect.stringContaining('started'));
    await examine(page, 'fleet-gone');

    await database.database.query('DELETE FROM replicas WHERE name = $1', [NAMED_AS_MARKUP]);
    await page.locator('.window', { hasText: 'of this replica' }).first().waitFor();
    await page.locator('#replicas').waitFor({ state: 'hidden' });
    await stack.close();
    await database.drop();
  }, 240_000);
}
