import type { Config } from '../config/load-config.js';
import type { Log } from '../telemetry/log.js';
import type { StoreMaker } from './check-store.js';
import type { Database } from './database.js';
import { migrate } from './migrate.js';
import { driverError, reachServer, refusalOfServer } from './reach-server.js';

type StoreSettings = Pick<Config, 'DATABASE_URL' | 'DATA_DIR' | 'playground'>;

const LATER_STORE =
  'the database was migrated by a newer version of the service, which this one works beside';

/**
 * Opens the configured database and brings its schema up to date.
 * @throws ConfigError when it cannot be used, and is left unchanged; UnavailableError when the server does not answer
 */
export async function openDatabase(config: StoreSettings, log: Log): Promise<Database> {
  const database = await connect(config, log);
  try {
    if (database.dialect === 'postgres') await reachServer(database);
    const { unknown } = await migrate(database);
    if (unknown.length > 0) log.warn({ migrations: unknown }, LATER_STORE);
    return database;
  } catch (error) {
    await database.close();
    throw refusalOfServer(driverError(error)) ?? error;
  }
}

/** Only the driver in use is loaded. */
async function connect({ DATABASE_URL, DATA_DIR, playground }: StoreSettings, log: Log): Promise<Database> {
  if (DATABASE_URL) {
    const { PostgresDatabase } = await import('./postgres/postgres-database.js');
    return new PostgresDatabase(DATABASE_URL.href, log);
  }
  const maker: StoreMaker = playground ? 'playground' : 'service';
  const { checkStore, refusalOf } = await import('./check-store.js');
  checkStore(DATA_DIR, maker);
  const { SqliteDatabase } = await import('./sqlite/sqlite-database.js');
  let database: Database | undefined;
  try {
    database = new SqliteDatabase(DATA_DIR, maker, log);
    await database.ping();
    return database;
  } catch (error) {
    await database?.close();
    throw refusalOf(driverError(error));
  }
}
