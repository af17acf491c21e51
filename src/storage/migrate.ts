import { ConfigError } from '../config/load-config.js';
import { VERSION } from '../config/version.js';
import type { Database, Queryable } from './database.js';
import type { Migration } from './migration.js';
import { migration0001 } from './migrations/0001-memberships.js';
import { migration0002 } from './migrations/0002-audit.js';
import { migration0010 } from './migrations/0010-events.js';
import { migration0020 } from './migrations/0020-audit-requests.js';
import { migration0030 } from './migrations/0030-event-trust.js';
import { migration0040 } from './migrations/0040-audit-blocks.js';
import { migration0050 } from './migrations/0050-event-redeliveries.js';
import { migration0060 } from './migrations/0060-event-copies.js';
import { migration0070 } from './migrations/0070-event-recovery.js';
import { migration0080 } from './migrations/0080-event-deliveries.js';
import { migration0090 } from './migrations/0090-delivery-history.js';
import { migration0100 } from './migrations/0100-rare-filters.js';
import { migration0110 } from './migrations/0110-replicas.js';
import { migration0120 } from './migrations/0120-past-events.js';
import { migration0130 } from './migrations/0130-hirers-by-time.js';
import { migration0140 } from './migrations/0140-one-time-values.js';

/** A version of the service, as its stores know it. */
export interface StoreVersion {
  /** Every step, in order. */
  readonly migrations: readonly Migration[];
  /**
   * The number by which stores name this version when they say which can use them. It rises by one when the code no
   * longer needs something that a later migration is going to remove (CONTRIBUTING.md, "Add a migration").
   */
  readonly format: number;
}

/** This version. */
export const THIS_VERSION: StoreVersion = {
  format: 2,
  migrations: [
    migration0001,
    migration0002,
    migration0010,
    migration0020,
    migration0030,
    migration0040,
    migration0050,
    migration0060,
    migration0070,
    migration0080,
    migration0090,
    migration0100,
    migration0110,
    migration0120,
    migration0130,
    migration0140,
  ],
};

/** A store's record of the versions that migrated it. */
export interface StoreMarks {
  /** Names of the steps that were applied. */
  readonly applied: readonly string[];
  /** The lowest format of the versions that can use it; undefined when it names none. */
  readonly oldestFormat: number | undefined;
}

/** An arbitrary constant: replicas that start together take this lock in turn. */
const MIGRATION_LOCK = 7_301_942;

const CREATE_MARKS = [
  'CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at BIGINT NOT NULL)',
  `CREATE TABLE IF NOT EXISTS store_format
    (id INTEGER PRIMARY KEY CHECK (id = 1), oldest_format INTEGER NOT NULL)`,
];
const RAISE_FORMAT = `INSERT INTO store_format (id, oldest_format) VALUES (1, $1)
  ON CONFLICT (id) DO UPDATE SET oldest_format = excluded.oldest_format
  WHERE store_format.oldest_format < excluded.oldest_format`;

/** Why a version cannot use a store, to follow the name of its setting; undefined when it can. */
export function newerStoreFault(marks: StoreMarks, version = THIS_VERSION): string | undefined {
  const { oldestFormat } = marks;
  const newer = 'holds a database of a newer version of the service';
  if (oldestFormat === undefined) {
    return unknownSteps(marks, version).length === 0
      ? undefined
      : `${newer}, and names no older one that can use it`;
  }
  return oldestFormat <= version.format
    ? undefined
    : `${newer}: it needs store format ${oldestFormat} or above, and this version (${VERSION}) has ${version.format}`;
}

/**
 * Brings the schema up to date. Safe to call from any number of replicas at once.
 * @returns the applied steps that this version does not know, and tolerates
 * @throws ConfigError when a newer version of the service has migrated it in a way that this one does not tolerate; it is
 *   then left unchanged
 */
export async function migrate(
  database: Database,
  version = THIS_VERSION,
): Promise<{ readonly unknown: readonly string[] }> {
  return database.transaction(async (tx) => {
    await tx.liftDeadline(); // an index of millions of rows takes a minute, and other replicas wait for it
    await tx.lock(MIGRATION_LOCK);
    for (const statement of CREATE_MARKS) await tx.query(statement);
    const marks = await readMarks(tx);
    const fault = newerStoreFault(marks, version);
    if (fault !== undefined) throw new ConfigError([`${database.setting} ${fault}`]);
    for (const step of version.migrations.filter(({ name }) => !marks.applied.includes(name))) {
      await apply(tx, step, step[database.sql.name]);
    }
    await requireFormat(tx, oldestFormatAfter(version));
    return { unknown: unknownSteps(marks, version) };
  });
}

/** From now on, versions below that format refuse the store. Part of the transaction of what they could not live with. */
export async function requireFormat(tx: Queryable, oldestFormat: number): Promise<void> {
  await tx.query(RAISE_FORMAT, [oldestFormat]);
}

/** The lowest format of the versions that can use a store which this version has migrated. */
export function oldestFormatAfter({ migrations }: StoreVersion): number {
  return Math.max(...migrations.map(({ oldestFormat }) => oldestFormat));
}

function unknownSteps({ applied }: StoreMarks, { migrations }: StoreVersion): string[] {
  const known = new Set(migrations.map(({ name }) => name));
  return applied.filter((name) => !known.has(name));
}

/** The marks of a store that has the tables for them. */
export async function readMarks(tx: Queryable): Promise<StoreMarks> {
  const applied = await tx.query<{ name: string }>('SELECT name FROM migrations');
  const [named] = await tx.query<{ oldest_format: number }>('SELECT oldest_format FROM store_format');
  return { applied: applied.map(({ name }) => name), oldestFormat: named?.oldest_format };
}

async function apply(tx: Queryable, { name }: Migration, sql: string): Promise<void> {
  for (const statement of sql.split(/;\s*$/m)) {
    if (statement.trim() !== '') await tx.query(statement);
  }
  await tx.query('INSERT INTO migrations (name, applied_at) VALUES ($1, $2)', [name, Date.now()]);
}
