import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteDatabase } from '../../src/storage/sqlite-database.js';
import { TEST_DATABASES } from '../support/test-database.js';
import { runKillDrill } from './kill-drill.js';

const PROGRAM = 'dist-bench/src/main.js';
const ROUNDS = 3; // `npm run drill:webhooks` runs fifty

beforeAll(() => {
  execFileSync('node_modules/.bin/swc', ['src', '--out-dir', 'dist-bench', '--copy-files', '--quiet']);
}, 30_000);

test('on SQLite, killed under load, nothing that was acknowledged is lost or stays undelivered', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'kill-drill-'));
  const report = await runKillDrill({
    program: PROGRAM,
    rounds: ROUNDS,
    settings: { DATA_DIR: dataDir },
    storedIds: async () => {
      const database = new SqliteDatabase(dataDir);
      const rows = await database.query<{ id: string }>('SELECT id FROM events');
      await database.close();
      return rows.map(({ id }) => id);
    },
  });
  expect(report).toMatchObject({ lost: 0, undelivered: 0 });
  rmSync(dataDir, { recursive: true });
}, 60_000);

for (const { name, open } of TEST_DATABASES.filter((one) => one.name === 'PostgreSQL')) {
  test(`on ${name}, killed under load, nothing that was acknowledged is lost or stays undelivered`, async () => {
    const { database, settings, drop } = await open();
    const report = await runKillDrill({
      program: PROGRAM,
      rounds: ROUNDS,
      settings,
      storedIds: async () =>
        (await database.query<{ id: string }>('SELECT id FROM events')).map(({ id }) => id),
    });
    expect(report).toMatchObject({ lost: 0, undelivered: 0 });
    await drop();
  }, 60_000);
}
