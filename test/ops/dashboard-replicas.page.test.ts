import pg from 'pg';
import type { Browser } from 'playwright-core';
import { loadConfig } from '../../src/config/load-config.js';
import { startService } from '../../src/service.js';
import { openLog } from '../../src/telemetry/log.js';
import { launchBrowser } from '../support/browser.js';
import { startStack } from '../support/start-stack.js';
import { openTcpGate } from '../support/tcp-gate.js';
import { TEST_DATABASES } from '../support/test-database.js';
import { until } from '../support/until.js';
import { openDashboard, examine, readAttention } from './dashboard-view.js';
import { askForToken, askGraphql } from './outage-traffic.js';

// A database that answers late or with errors, and one replica of two that fails: with PostgreSQL alone.

const HELD_FOR_A_SECOND = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'
    AND query_start < clock_timestamp() - interval '1 second'`;

/** From now on the server answers every question for memberships with an error of its own. */
const OUT_OF_MEMORY = `
  CREATE FUNCTION refuse() RETURNS boolean LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'out of memory' USING ERRCODE = '53200'; END $$;
  ALTER TABLE memberships RENAME TO elsewhere;
  CREATE VIEW memberships AS SELECT * FROM elsewhere WHERE refuse()`;

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());
afterEach(() => Promise.all(browser.contexts().map((context) => context.close())));

for (const { open } of TEST_DATABASES.filter(({ isServer }) => isServer)) {
  test('a database that answers late, then with errors: first the time that it costs, then the requests', async () => {
    const database = await open();
    const stack = await startStack({ ...database.settings, EVENTS_SCHEME_ID: '' });
    const page = await openDashboard(browser, stack.opsUrl);
    const holder = new pg.Client(database.settings['DATABASE_URL']);
    await holder.connect();

    await holder.query('BEGIN; LOCK TABLE memberships IN ACCESS EXCLUSIVE MODE');
    const tokens = Promise.all(Array.from({ length: 6 }, () => askForToken(stack)));
    await until(async () => (await database.database.query(HELD_FOR_A_SECOND)).length > 0);
    await holder.query('ROLLBACK');
    await tokens;
    const [slow] = await readAttention(page, /This service itself took longer than 0.25 seconds for 6 of 6/);
    expect(slow).toMatchObject({ severity: 'warn', fault: expect.stringContaining('A slow database') });
    await examine(page, 'database-slow');

    await holder.query(OUT_OF_MEMORY);
    await askGraphql(stack, 'bayu', 4);
    const [worst] = await readAttention(page, /4 of 4 GraphQL operations failed/);
    expect(worst).toMatchObject({
      severity: 'bad',
      fault: 'Your database: it answers, but too late or with errors',
      action: expect.stringContaining('Look for locks'),
    });
    expect(await page.locator('#refusals').innerText()).toContain('Database');
    await examine(page, 'database-errors');
    await holder.end();
    await stack.close();
    await database.drop();
  });

  test('one replica of two that fails: its page is red and says so, the other serves', async () => {
    const database = await open();
    const stack = await startStack({ ...database.settings, EVENTS_SCHEME_ID: '' });
    const upstream = new URL(stack.environment['UPSTREAM_URL']!);
    const gate = await openTcpGate(Number(upstream.port), upstream.hostname);
    upstream.port = String(gate.port);
    const log = openLog({ LOG_LEVEL: 'silent' });
    const other = await startService(loadConfig({ ...stack.environment, UPSTREAM_URL: upstream.href }), log);
    const replica = { ...stack, url: other.publicUrl, opsUrl: other.opsUrl };
    gate.shut();
    const [page, healthy] = [
      await openDashboard(browser, replica.opsUrl),
      await openDashboard(browser, stack.opsUrl),
    ];
    await askGraphql(replica, 'amelia', 5);
    await askGraphql(stack, 'amelia', 5);
    const [worst] = await readAttention(page, /5 of 5 GraphQL operations failed/);
    expect(worst).toMatchObject({
      severity: 'bad',
      fault: 'Upstream, or the network to it',
      action: expect.stringContaining('if only this replica fails, replace it'),
    });
    expect(await page.locator('#state').innerText()).toBe('Failing');
    await examine(page, 'one-replica');
    await readAttention(healthy, 'Nothing needs attention.');
    expect(await healthy.locator('#state').innerText()).toBe('Ready');
    await other.close();
    await gate.close();
    await stack.close();
    await database.drop();
  });
}
