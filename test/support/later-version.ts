import { THIS_VERSION, type StoreVersion } from '../../src/storage/migrate.js';

const EVERY_TABLE = ['memberships', 'audit', 'events', 'relationship_changes', 'event_cursors'];

/**
 * A made-up later version with one step more, which adds a column to every table that there is today.
 * @param oldestFormat the lowest format of the versions that can use a store after that step
 */
export function laterVersion(name: string, oldestFormat: number): StoreVersion {
  const sql = EVERY_TABLE.map((table) => `ALTER TABLE ${table} ADD COLUMN made_up TEXT DEFAULT 'x';`).join(
    '\n',
  );
  const step = { name: `9999-${name.replaceAll(' ', '-')}`, oldestFormat, sqlite: sql, postgres: sql };
  return { format: oldestFormat, migrations: [...THIS_VERSION.migrations, step] };
}
