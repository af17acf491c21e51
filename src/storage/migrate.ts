import { ConfigError } from '../config/load-config.js';
import { VERSION } from '../config/version.js';
import type { Database, Migration, Queryable, Transaction } from './database.js';
import { baseline } from './migrations/0001-baseline.js';

/** A version of the service, as its stores know it. */
export interface StoreVersion {
  /** Every step, in order. */
  readonly migrations: readonly Migration[];
  /**
   * The number by which stores name this version when they say which can use them. It rises by one when the code no
   * longer needs something that a later migration is going to remove (ADR 0018).
   */
  readonly format: number;
}

/** This version. */
export const THIS_VERSION: StoreVersion = { format: 3, migrations: [baseline] };

/** An arbitrary constant: replicas that start together take this lock in turn. */
const MIGRATION_LOCK = 7_301_942;

/** Of the steps that were applied: `oldest_format` is the lowest format that can use the store after each. */
const CREATE_MARKS = `CREATE TABLE IF NOT EXISTS migrations
  (name TEXT PRIMARY KEY, applied_at BIGINT NOT NULL, oldest_format INTEGER NOT NULL)`;

const BEFORE_RELEASE =
  'holds a database that was made before the first release, and no later version can use: name an empty one, grant memberships again, and fetch the events of the last 90 days with `partner-bff subscriptions replay`';

/**
 * Brings the schema up to date. Safe to call from any number of replicas at once.
 * @returns the applied steps that this version does not know, and tolerates
 * @throws ConfigError when it was made before the first release, or a newer version has migrated it in a way that this one
 *   does not tolerate; it is then left unchanged
 */
export async function migrate(
  database: Database,
  version = THIS_VERSION,
): Promise<{ readonly unknown: readonly string[] }> {
  return database.transaction(async (tx) => {
    await tx.liftDeadline(); // an index of millions of rows takes a minute, and other replicas wait for it
    await tx.lock(MIGRATION_LOCK);
    await tx.query(CREATE_MARKS);
    const { fault, missing, unknown } = await readMarks(tx, version);
    if (fault !== undefined) throw new ConfigError([`${database.setting} ${fault}`]);
    for (const step of missing) await apply(tx, step);
    return { unknown };
  });
}

/**
 * What a store says of the versions that migrated it: which of the applied steps the version does not know, the steps that
 * are missing, and why the version cannot use the store, to follow the name of its setting.
 */
export async function readMarks(tx: Queryable, { format, migrations } = THIS_VERSION) {
  const rows = await tx.query<{ name: string; oldest_format: number }>('SELECT * FROM migrations');
  const applied = rows.map(({ name }) => name);
  const isBeforeRelease = rows.some((row) => !('oldest_format' in row));
  const oldest = Math.max(0, ...rows.map((row) => row.oldest_format));
  const newer = `holds a database of a newer version of the service: it needs store format ${oldest} or above, and this version (${VERSION}) has ${format}`;
  const fault = oldest > format ? newer : undefined;
  return {
    unknown: applied.filter((name) => !migrations.some((step) => step.name === name)),
    missing: migrations.filter(({ name }) => !applied.includes(name)),
    fault: isBeforeRelease ? BEFORE_RELEASE : fault,
  };
}

async function apply(tx: Transaction, { name, sql, oldestFormat }: Migration): Promise<void> {
  for (const statement of sql.split(/;\s*$/m)) {
    if (statement.trim() !== '') await tx.query(statement);
  }
  await tx.query('INSERT INTO migrations VALUES ($1, :now, $2)', [name, oldestFormat]);
}
