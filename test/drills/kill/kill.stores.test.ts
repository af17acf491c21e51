import { SqliteDatabase } from '../../../src/storage/sqlite/sqlite-database.js';
import { newFolder, runsOnServers } from '../../support/machine.js';
import { storedIds } from '../../support/stored.js';
import { POSTGRESQL } from '../../support/test-database.js';
import { NOTHING_LOST, runKillDrill } from './drill.js';

/** CI kills three times, `npm run drill:webhooks` fifty. */
const ROUNDS = Number(process.env['DRILL_ROUNDS'] ?? 1);

const CLAIM = 'killed under load, nothing that was acknowledged is lost or stays undelivered';

if (runsOnServers()) {
  test(`on PostgreSQL, ${CLAIM}`, async () => {
    const { database, settings } = await POSTGRESQL.open();
    const report = await runKillDrill({ rounds: ROUNDS, settings, storedIds: () => storedIds(database) });
    expect(report).toMatchObject(NOTHING_LOST);
  });
} else {
  test(`on SQLite, ${CLAIM}`, async () => {
    const folder = newFolder();
    const report = await runKillDrill({
      rounds: ROUNDS,
      settings: { DATA_DIR: folder },
      storedIds: async () => {
        const database = new SqliteDatabase(folder); // by one process at a time
        return storedIds(database).finally(() => database.close());
      },
    });
    expect(report).toMatchObject(NOTHING_LOST);
  });
}
