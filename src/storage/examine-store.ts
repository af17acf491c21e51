import { existsSync } from 'node:fs';
import type { Config } from '../config/load-config.js';
import { openServer } from './open-database.js';

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
 * @throws ConfigError when the service could not use it, and also while a running service uses an embedded one;
 *   UnavailableError for a server that does not answer
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

/** Asked once, with a write in view, as a start does for ten seconds. */
async function examineServer(url: URL): Promise<StoreFinding> {
  const database = await openServer(url, 0);
  try {
    const [row] = await database.query<{ version: number; now: number }>(
      "SELECT current_setting('server_version_num')::int AS version, :now AS now",
    );
    const { version, now } = row!;
    const seen = `PostgreSQL ${Math.floor(version / 10_000)}.${version % 10_000} answers`;
    const isOld = version < SERVER_VERSION_MIN;
    return { seen, serverTime: now, ...(isOld && { todo: 'upgrade it to 15 or later' }) };
  } finally {
    await database.close();
  }
}
