import { existsSync } from 'node:fs';
import type { Config } from '../config/load-config.js';
import type { Database } from './database.js';
import { driverError, refusalOfServer } from './postgres/reach-server.js';

const SERVER_VERSION_MIN = 150_000;

/** A finding about a store, which is not changed. */
export interface StoreFinding {
  readonly seen: string;
  /** The server's clock, epoch milliseconds. */
  readonly serverTime?: number;
  /** What to do about it, where something is wrong. */
  readonly todo?: string;
}

/**
 * Looks at the database that the settings name, and leaves it as it is.
 * @throws ConfigError with the setting and the reason when the service could not use it, and also while a running
 *   service uses an embedded one; Error for a server that does not answer
 */
export async function examineStore({
  DATABASE_URL,
  DATA_DIR,
}: Pick<Config, 'DATABASE_URL' | 'DATA_DIR'>): Promise<StoreFinding> {
  if (DATABASE_URL) return examineServer(DATABASE_URL);
  const { checkStore, storeFile } = await import('./sqlite/check-store.js');
  if (DATA_DIR === ':memory:' || !existsSync(storeFile(DATA_DIR))) {
    return { seen: 'embedded; created at the first start' };
  }
  checkStore(DATA_DIR, 'service');
  return { seen: 'embedded, whole, and not in use' };
}

async function examineServer(url: URL): Promise<StoreFinding> {
  const { PostgresDatabase } = await import('./postgres/postgres-database.js');
  const database = new PostgresDatabase(url.href);
  try {
    return await read(database);
  } catch (error) {
    const cause = driverError(error) as Error & { code?: string };
    if (['ConfigError', 'UnavailableError'].includes(cause.name)) throw cause;
    throw refusalOfServer(cause) ?? new Error(`no answer (${cause.code ?? 'no code'})`);
  } finally {
    await database.close();
  }
}

async function read(database: Database): Promise<StoreFinding> {
  const [row] = await database.query<{ version: number; now: number }>(
    "SELECT current_setting('server_version_num')::int AS version, :now AS now",
  );
  const { version, now } = row!;
  const seen = `PostgreSQL ${Math.floor(version / 10_000)}.${version % 10_000} answers`;
  const isOld = version < SERVER_VERSION_MIN;
  return { seen, serverTime: now, ...(isOld && { todo: 'upgrade it to 15 or later' }) };
}
