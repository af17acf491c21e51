import type { Config } from '../config/load-config.js';
import type { Database } from './database.js';
import { migrate } from './migrate.js';

/** Opens the configured database and brings its schema up to date. */
export async function openDatabase(config: Pick<Config, 'DATABASE_URL' | 'DATA_DIR'>): Promise<Database> {
  const database = await connect(config);
  await migrate(database);
  return database;
}

/** Only the driver in use is loaded. */
async function connect({
  DATABASE_URL,
  DATA_DIR,
}: Pick<Config, 'DATABASE_URL' | 'DATA_DIR'>): Promise<Database> {
  if (DATABASE_URL) {
    const { PostgresDatabase } = await import('./postgres-database.js');
    return new PostgresDatabase(DATABASE_URL.href);
  }
  const { SqliteDatabase } = await import('./sqlite-database.js');
  return new SqliteDatabase(DATA_DIR);
}
