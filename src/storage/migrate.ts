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

const CREATE_MARKS = [
  'CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at BIGINT NOT NULL)',
  `CREATE TABLE IF NOT EXISTS store_format
    (id INTEGER PRIMARY KEY CHECK (id = 1), oldest_format INTEGER NOT NULL)`,
];
/** From now on, versions below that format refuse the store. */
const RAISE_FORMAT = `INSERT INTO store_format (id, oldest_format) VALUES (1, $1)
  ON CONFLICT (id) DO UPDATE SET oldest_format = excluded.oldest_format
  WHERE store_format.oldest_format < excluded.oldest_format`;

const BEFORE_RELEASE =
  'holds a database that was made before the first release, and no later version can use: name an empty one, grant memberships again, and fetch the events of the last 90 days with `partner-bff subscriptions replay`';

const SETTINGS = { sqlite: 'DATA_DIR', postgres: 'DATABASE_URL' };
const NEWER = 'holds a database of a newer version of the service';

/** Why a version cannot use a store, to follow the name of its setting; undefined when it can. */
function versionFault({ applied, unknown, oldestFormat }: Marks, format: number): string | undefined {
  if (applied.length > 0 && !applied.includes(baseline.name)) return BEFORE_RELEASE;
  if (oldestFormat === undefined) {
    return unknown.length > 0 ? `${NEWER}, and names no older one that can use it` : undefined;
  }
  if (oldestFormat <= format) return undefined;
  return `${NEWER}: it needs store format ${oldestFormat} or above, and this version (${VERSION}) has ${format}`;
}

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
    for (const statement of CREATE_MARKS) await tx.query(statement);
    const marks = await readMarks(tx, version);
    const fault = versionFault(marks, version.format);
    if (fault !== undefined) throw new ConfigError([`${SETTINGS[database.sql.name]} ${fault}`]);
    for (const step of marks.missing) await apply(tx, step);
    await tx.query(RAISE_FORMAT, [oldestFormatAfter(version)]);
    return { unknown: marks.unknown };
  });
}

/** The lowest format of the versions that can use a store which this version has migrated. */
export function oldestFormatAfter({ migrations }: StoreVersion): number {
  return Math.max(...migrations.map(({ oldestFormat }) => oldestFormat));
}

type Marks = Awaited<ReturnType<typeof readMarks>>;

/**
 * What a store that has the tables for it says of the versions that migrated it: names of the steps that were applied, which
 * of them the version does not know, the steps that are missing, and the lowest format that can use it, if it names one.
 */
export async function readMarks(tx: Queryable, { migrations }: StoreVersion = THIS_VERSION) {
  const rows = await tx.query<{ name: string }>('SELECT name FROM migrations');
  const [named] = await tx.query<{ oldest_format: number }>('SELECT oldest_format FROM store_format');
  const applied = rows.map(({ name }) => name);
  const unknown = applied.filter((name) => !migrations.some((step) => step.name === name));
  const missing = migrations.filter(({ name }) => !applied.includes(name));
  return { applied, unknown, missing, oldestFormat: named?.oldest_format };
}

async function apply(tx: Transaction, step: Migration): Promise<void> {
  for (const statement of step[tx.sql.name].split(/;\s*$/m)) {
    if (statement.trim() !== '') await tx.query(statement);
  }
  await tx.query('INSERT INTO migrations (name, applied_at) VALUES ($1, :now)', [step.name]);
}
