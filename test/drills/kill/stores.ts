import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteDatabase } from '../../../src/storage/sqlite/sqlite-database.js';
import { storedIds } from '../../support/stored.js';
import { TEST_DATABASES } from '../../support/test-database.js';
import type { DrillOptions } from './drill.js';

/** A store of its own for one drill. */
interface DrillStore extends Pick<DrillOptions, 'settings' | 'storedIds'> {
  drop(): Promise<void>;
}

/** The stores the drill runs on: SQLite, and PostgreSQL where `TEST_DATABASE_URL` names a server. */
export const DRILL_STORES: readonly { readonly name: string; open(): Promise<DrillStore> }[] = [
  { name: 'SQLite', open: openFolder },
  ...TEST_DATABASES.filter(({ isServer }) => isServer).map(({ name, open }) => ({
    name,
    open: async () => {
      const { database, settings, drop } = await open();
      return { settings, storedIds: () => storedIds(database), drop };
    },
  })),
];

/** One process at a time can open it, so it is opened only while its ids are read. */
async function openFolder(): Promise<DrillStore> {
  const dataDir = mkdtempSync(join(tmpdir(), 'kill-drill-'));
  return {
    settings: { DATA_DIR: dataDir },
    storedIds: async () => {
      const database = new SqliteDatabase(dataDir);
      return storedIds(database).finally(() => database.close());
    },
    drop: async () => rmSync(dataDir, { recursive: true }),
  };
}
