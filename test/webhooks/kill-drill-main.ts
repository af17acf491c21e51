import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteDatabase } from '../../src/storage/sqlite-database.js';
import { TEST_DATABASES } from '../support/test-database.js';
import { runKillDrill, type DrillOptions } from './kill-drill.js';

/** `npm run drill:webhooks [rounds]`: the long form of the kill drill, on SQLite and on `TEST_DATABASE_URL`. */
const rounds = Number(process.argv[2] ?? 50);
const program = join(import.meta.dirname, '../../src/main.js');
let lost = 0;

async function drill(name: string, options: Pick<DrillOptions, 'settings' | 'storedIds'>): Promise<void> {
  const report = await runKillDrill({ program, rounds, ...options });
  lost += report.lost + report.undelivered;
  console.log(name, report);
}

const dataDir = mkdtempSync(join(tmpdir(), 'kill-drill-'));
await drill('SQLite', {
  settings: { DATA_DIR: dataDir },
  storedIds: async () => {
    const database = new SqliteDatabase(dataDir);
    const rows = await database.query<{ id: string }>('SELECT id FROM events');
    await database.close();
    return rows.map(({ id }) => id);
  },
});
rmSync(dataDir, { recursive: true });

for (const { name, open } of TEST_DATABASES.filter((one) => one.name === 'PostgreSQL')) {
  const { database, settings, drop } = await open();
  await drill(name, {
    settings,
    storedIds: async () =>
      (await database.query<{ id: string }>('SELECT id FROM events')).map(({ id }) => id),
  });
  await drop();
}
console.log(`lost: ${lost}`);
process.exit(lost === 0 ? 0 : 1);
