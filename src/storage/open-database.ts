import type { Config } from '../config/load-config.js';
import type { Database } from './database.js';
import { migrate } from './migrate.js';
import { PostgresDatabase } from './postgres-database.js';
import { SqliteDatabase } from './sqlite-database.js';

/** Opens the configured database and brings its schema up to date. */
export async function openDatabase(config: Pick<Config, 'DATABASE_URL' | 'DATA_DIR'>): Promise<Database> {
  const database = config.DATABASE_URL
    ? new PostgresDatabase(config.DATABASE_URL.href)
    : new SqliteDatabase(config.DATA_DIR);
  await migrate(database);
  return database;
}
