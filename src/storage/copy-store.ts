import { existsSync } from 'node:fs';
import { ConfigError } from '../config/load-config.js';
import type { Database, Queryable, Row } from './database.js';
import { migrate, readMarks } from './migrate.js';
import { openEmbedded, openServer } from './open-database.js';
import { refusalOfServer } from './postgres/postgres-fault.js';

/** Rows of a statement: the payload of an event may have a megabyte. */
const PAGE_ROWS = 100;
const NOT_EMPTY = 'DATABASE_URL names a database that already holds data; name an empty one';

/**
 * Copies the embedded database into an empty one of a server, in one transaction: all of it, or nothing. The source is
 * locked meanwhile, and keeps its content.
 * @returns the rows of each table
 * @throws ConfigError for a store that cannot be read or written; UnavailableError
 */
export async function copyStore(from: string, to: URL): Promise<Map<string, number>> {
  const source = await openSource(from);
  let target: Database | undefined;
  try {
    target = await openServer(to);
    const { fault, unknown, missing } = await readMarks(source);
    if (fault !== undefined || unknown.length > 0 || missing.length > 0) {
      throw new ConfigError([
        `${from} holds a store of another version: start this version on it once, stop it, and copy again`,
      ]);
    }
    const tables = await tablesOf(source);
    await migrate(target);
    return await target.transaction(async (tx) => {
      await tx.liftDeadline();
      await tx.query("SET LOCAL idle_in_transaction_session_timeout = '1h'"); // the source may be slow to read
      await tx.query(`LOCK TABLE ${tables.join()} IN EXCLUSIVE MODE`);
      const looks = tables.map((table) => `(SELECT 1 FROM ${table} LIMIT 1)`);
      const found = await tx.query(looks.join(' UNION ALL '));
      if (found.length > 0) throw new ConfigError([NOT_EMPTY]);
      const rows = new Map<string, number>();
      for (const table of tables) rows.set(table, await copyTable(source, tx, table));
      await numberOn(source, tx);
      return rows;
    });
  } catch (error) {
    throw refusalOfServer(error) ?? error;
  } finally {
    await target?.close();
    await source.close();
  }
}

/** Nothing else can use it until it is closed. */
async function openSource(dataDir: string): Promise<Database> {
  const { storeFile } = await import('./sqlite/check-store.js');
  if (!existsSync(storeFile(dataDir))) throw new ConfigError([`${dataDir} holds no bff.sqlite to copy`]);
  return openEmbedded(dataDir, 'service');
}

/** But that of the migrations, of which the target has its own. */
async function tablesOf(source: Database): Promise<string[]> {
  const tables = await source.query<{ name: string }>(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'migrations' ORDER BY name",
  );
  return tables.map(({ name }) => name);
}

/** In the order of the primary key, which every table has. @returns the rows */
async function copyTable(source: Database, target: Queryable, table: string): Promise<number> {
  const info = 'SELECT name FROM pragma_table_info($1) WHERE pk > 0 ORDER BY pk';
  const key = (await source.query<{ name: string }>(info, [table])).map(({ name }) => name);
  const after = `WHERE (${key.join()}) > (${key.map((_, index) => `$${index + 1}`).join()})`;
  const insert = `INSERT INTO ${table} OVERRIDING SYSTEM VALUE
    SELECT * FROM json_populate_recordset(CAST(NULL AS ${table}), CAST($1 AS JSON))`;
  let copied = 0;
  for (let last: Row | undefined; ;) {
    const rows: Row[] = await source.query(
      `SELECT * FROM ${table} ${last ? after : ''} ORDER BY ${key.join()} LIMIT ${PAGE_ROWS}`,
      last && key.map((name) => last![name]!),
    );
    if (rows.length === 0) return copied;
    await target.query(insert, [JSON.stringify(rows)]);
    copied += rows.length;
    last = rows.at(-1);
  }
}

/** Rows are numbered on from the last number that was given out, though its row may be gone. */
async function numberOn(source: Database, target: Queryable): Promise<void> {
  const numbers = await source.query<{ name: string; seq: number }>('SELECT name, seq FROM sqlite_sequence');
  const setNumber = "SELECT setval(pg_get_serial_sequence($1, 'sequence'), GREATEST(CAST($2 AS BIGINT), 1))";
  for (const { name, seq } of numbers) await target.query(setNumber, [name, seq]);
}
