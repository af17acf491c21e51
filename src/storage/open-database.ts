import type { Config } from '../config/load-config.js';
import { StoreError } from '../errors/store-error.js';
import type { Log } from '../telemetry/log.js';
import type { Database } from './database.js';
import { migrate } from './migrate.js';
import { absenceOfServer, driverError, refusalOfServer } from './postgres/postgres-fault.js';
import type { StoreMaker } from './sqlite/check-store.js';
import { refusalOf } from './sqlite/sqlite-fault.js';

type StoreSettings = Pick<Config, 'DATABASE_URL' | 'DATA_DIR' | 'playground'>;

/** How long a start waits for the database server. */
export const PATIENCE_MS = 10_000;
const PAUSE_MS = 250;
const LATER_STORE =
  'the database was migrated by a newer version of the service; this one still works with it';

/**
 * Opens the configured database and brings its schema up to date.
 * @throws ConfigError when it cannot be used, and is left unchanged; UnavailableError when the server does not answer
 */
export async function openDatabase(config: StoreSettings, log: Log): Promise<Database> {
  const { DATABASE_URL, DATA_DIR, playground } = config;
  const database = DATABASE_URL
    ? await openServer(DATABASE_URL)
    : await openEmbedded(DATA_DIR, playground ? 'playground' : 'service');
  try {
    const { unknown } = await migrate(database);
    if (unknown.length > 0) log.warn({ migrations: unknown }, LATER_STORE);
    return database;
  } catch (error) {
    await database.close();
    if (DATABASE_URL) throw refusalOfServer(error) ?? error;
    throw error instanceof StoreError ? refusalOf(error.cause) : error;
  }
}

/**
 * Opens the database of a server that answers, as it is.
 * @throws ConfigError when it refuses the connection; UnavailableError when it does not answer
 */
export async function openServer(url: URL, patienceMs?: number): Promise<Database> {
  const { PostgresDatabase } = await import('./postgres/postgres-database.js');
  const database = new PostgresDatabase(url.href);
  try {
    await reachServer(database, patienceMs);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/**
 * Resolves once the database server answers; it is retried for ten seconds by default.
 * @throws UnavailableError when it does not answer; ConfigError, immediately, when it refuses the connection
 */
export async function reachServer(database: Pick<Database, 'ping'>, patienceMs = PATIENCE_MS): Promise<void> {
  const end = performance.now() + patienceMs;
  for (;;) {
    try {
      return await database.ping();
    } catch (thrown) {
      const refusal = refusalOfServer(thrown);
      if (refusal) throw refusal;
      if (performance.now() >= end) throw absenceOfServer(thrown);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/**
 * Opens an embedded database that can be used in this mode, as it is.
 * @throws ConfigError when it cannot be used, and is left unchanged; UnavailableError when its thread does not start
 */
export async function openEmbedded(dataDir: string, maker: StoreMaker): Promise<Database> {
  const { checkStore } = await import('./sqlite/check-store.js');
  const { SqliteDatabase } = await import('./sqlite/sqlite-database.js');
  checkStore(dataDir, maker);
  let database: Database | undefined;
  try {
    database = new SqliteDatabase(dataDir, maker);
    await database.ping();
    return database;
  } catch (error) {
    await database?.close();
    throw refusalOf(driverError(error));
  }
}
