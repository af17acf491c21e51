import { existsSync } from 'node:fs';
import { ConfigError } from '../../config/load-config.js';
import type { Database } from '../database.js';
import { checkEmbedded } from '../open-database.js';
import { driverError } from '../postgres/reach-server.js';
import { CopiedTable, type Column } from './copied-table.js';
import { CopyFault } from './copy-fault.js';

/** Tables of the migrations themselves: the target has its own. */
const MARKS = ['migrations', 'store_format'];
const IN_USE = 'holds a store that is in use. Stop the service: nothing may be written while it is copied.';
/** SQLITE_BUSY and SQLITE_LOCKED (https://sqlite.org/rescode.html). */
const IN_USE_CODES = [5, 6];

/**
 * Opens an embedded database to be copied. Nothing else can use it until it is closed, and its content is left as it is.
 * @throws ConfigError for one that the service could not use; CopyFault for one that is not there, or in use
 */
export async function openSource(dataDir: string): Promise<Database> {
  const { refusalOf, storeFile } = await import('../sqlite/check-store.js');
  const { SqliteDatabase } = await import('../sqlite/sqlite-database.js');
  if (!existsSync(storeFile(dataDir))) throw new CopyFault(`${dataDir} holds no bff.sqlite to copy.`);
  let database: Database | undefined;
  try {
    await checkEmbedded(dataDir, 'service');
    database = new SqliteDatabase(dataDir);
    await database.ping();
    return database;
  } catch (error) {
    await database?.close();
    const refusal = error instanceof ConfigError ? error : refusalOf(driverError(error));
    throw isInUse(refusal) ? new CopyFault(`${dataDir} ${IN_USE}`) : refusal;
  }
}

function isInUse({ cause }: Error): boolean {
  return IN_USE_CODES.includes(((cause as { errcode?: number } | undefined)?.errcode ?? 0) & 0xff);
}

/** Every table that holds what the service stores, in the order of their names. */
export async function tablesOf(source: Database): Promise<CopiedTable[]> {
  const tables = await source.query<{ name: string }>(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
  );
  const kept = tables.filter(({ name }) => !MARKS.includes(name));
  return Promise.all(kept.map(async ({ name }) => new CopiedTable(name, await columnsOf(source, name))));
}

/** The last number that each table with numbered rows gave out; a row that is gone may have had it. */
export function lastNumbers(source: Database): Promise<{ name: string; seq: number }[]> {
  return source.query('SELECT name, seq FROM sqlite_sequence ORDER BY name');
}

async function columnsOf(source: Database, table: string): Promise<Column[]> {
  const columns = await source.query<{ name: string; type: string; pk: number }>(
    'SELECT name, type, pk FROM pragma_table_info($1) ORDER BY cid',
    [table],
  );
  return columns.map(({ name, type, pk }) => ({ name, isText: type === 'TEXT', keyPlace: pk }));
}
