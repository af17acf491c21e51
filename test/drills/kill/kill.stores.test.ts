import { SqliteDatabase } from '../../../src/storage/sqlite/sqlite-database.js';
import { newFolder, runsOnServers } from '../../support/machine.js';
import { storedIds } from '../../support/stored.js';
import { POSTGRESQL } from '../../support/test-database.js';
import { idsIn, NOTHING_LOST, runKillDrill } from './drill.js';

/** CI kills three times, `npm run drill:webhooks` fifty. */
const ROUNDS = Number(process.env['DRILL_ROUNDS'] ?? 1);

/** The store to kill a service on. */
async function openStore() {
  if (runsOnServers()) {
    const { database, settings } = await POSTGRESQL.open();
    return { settings, storedIds: () => storedIds(database) };
  }
  const folder = newFolder();
  return { settings: { DATA_DIR: folder }, storedIds: () => idsIn(new SqliteDatabase(folder)) };
}

test('killed under load, nothing that was acknowledged is lost or stays undelivered', async () => {
  const report = await runKillDrill({ rounds: ROUNDS, ...(await openStore()) });
  expect(report).toMatchObject(NOTHING_LOST);
});
