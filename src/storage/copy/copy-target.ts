import type { Database, Transaction } from '../database.js';
import { migrate, oldestFormatAfter, readMarks, THIS_VERSION, UNFINISHED_COPY } from '../migrate.js';
import { openServer } from '../open-database.js';
import { CopyFault } from './copy-fault.js';
import type { CopiedTable } from './copied-table.js';

/** An arbitrary constant: two copies into one database take turns at each step, and the later one finds that it is done. */
const COPY_LOCK = 7_301_944;

const SET_FORMAT = 'UPDATE store_format SET oldest_format = $1';
const OTHER_DATA =
  'The database of DATABASE_URL already holds data that is no unfinished copy, and is left as it is. Name an empty one.';
const DONE = 'The copy was finished, or removed, by another run of this command.';

/** The server's database that a store is copied to. While the copy is not finished, no service starts on it. */
export class CopyTarget {
  private constructor(private readonly database: Database) {}

  /** @throws ConfigError, UnavailableError as a start does */
  static async open(url: URL): Promise<CopyTarget> {
    return new CopyTarget(await openServer(url));
  }

  /**
   * True if it holds a copy that was begun and not finished; false if it holds nothing.
   * @throws CopyFault when it holds anything else, or a copy by another version
   */
  async isBegun(tables: readonly CopiedTable[]): Promise<boolean> {
    const found = await this.database.query<{ name: string }>(
      'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()',
    );
    const names = new Set(found.map(({ name }) => name));
    if (!names.has('migrations') || !names.has('store_format')) {
      if (names.has('migrations') || tables.some(({ name }) => names.has(name))) {
        throw new CopyFault(OTHER_DATA);
      }
      return false;
    }
    const { applied, oldestFormat } = await readMarks(this.database);
    if (oldestFormat !== UNFINISHED_COPY) {
      for (const table of tables.filter(({ name }) => names.has(name))) {
        if ((await table.last(this.database)) !== undefined) throw new CopyFault(OTHER_DATA);
      }
      return false;
    }
    expectThisVersion(applied, 'The unfinished copy in the database of DATABASE_URL');
    return true;
  }

  /** Makes the tables, and marks the database as half a copy. */
  async begin(): Promise<void> {
    await migrate(this.database);
    await this.database.query(SET_FORMAT, [UNFINISHED_COPY]);
  }

  /** One step of the copy. @throws CopyFault when another run has finished it */
  step<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.database.transaction(async (tx) => {
      await tx.lock(COPY_LOCK);
      const { oldestFormat } = await readMarks(tx);
      if (oldestFormat !== UNFINISHED_COPY) throw new CopyFault(DONE);
      return work(tx);
    });
  }

  /**
   * The last step: rows are numbered on from where the source was, and a service may use the database.
   * @param oldestFormat that of the source
   */
  async finish(
    tx: Transaction,
    numbers: readonly { name: string; seq: number }[],
    oldestFormat = 0,
  ): Promise<void> {
    for (const { name, seq } of numbers) {
      await tx.query(
        `SELECT setval(pg_get_serial_sequence($1, 'sequence'),
           GREATEST($2, (SELECT COALESCE(MAX(sequence), 1) FROM ${name})))`,
        [name, seq],
      );
    }
    await tx.query(SET_FORMAT, [Math.max(oldestFormat, oldestFormatAfter(THIS_VERSION))]);
  }

  close(): Promise<void> {
    return this.database.close();
  }
}

/**
 * Refuses a store of another schema: its rows may mean something else.
 * @param applied names of the steps that made it
 * @throws CopyFault
 */
export function expectThisVersion(applied: readonly string[], what: string): void {
  const names = THIS_VERSION.migrations.map(({ name }) => name);
  const missing = names.filter((name) => !applied.includes(name));
  const unknown = applied.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    throw new CopyFault(
      `${what} was made by a newer version (${unknown.join(', ')}): use the command of that one.`,
    );
  }
  if (missing.length > 0) {
    throw new CopyFault(
      `${what} was made by an older version (without ${missing.join(', ')}): use the command of that one, or start this version on it once and stop it.`,
    );
  }
}
