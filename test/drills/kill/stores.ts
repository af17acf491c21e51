import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../../../src/storage/database.js';
import { SqliteDatabase } from '../../../src/storage/sqlite/sqlite-database.js';
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
      return { settings, storedIds: () => idsOf(database), drop };
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
      return idsOf(database).finally(() => database.close());
    },
    drop: async () => rmSync(dataDir, { recursive: true }),
  };
}

/** Ids of all events. */
export async function idsOf(database: Database): Promise<string[]> {
  return (await database.query<{ id: string }>('SELECT id FROM events')).map(({ id }) => id);
}
