import type { Readable } from 'node:stream';
import { StoreError } from '../errors/store-error.js';
import type { CallReports } from '../telemetry/conditions/call-condition.js';

/** Longest message of a notice, in bytes of UTF-8. */
export const NOTICE_BYTES_MAX = 7_000; // PostgreSQL takes 8000

/** A value that every database stores unchanged. Times are epoch milliseconds. */
export type SqlValue = string | number | null;

/** A row, by column name. */
export type Row = Record<string, SqlValue>;

/** The databases that a migration has SQL for. */
type DialectName = 'sqlite' | 'postgres';

/** One step of the schema, in every dialect. A step that has been released is never edited. */
export interface Migration extends Readonly<Record<DialectName, string>> {
  readonly name: string;
  /** The lowest `StoreVersion.format` that can use a store after this step: such versions need not know the step. */
  readonly oldestFormat: number;
}

/** SQL in which databases differ. All other statements are written once, in what they have in common. */
export interface Dialect {
  readonly name: DialectName;
  /** Ends the `SELECT` of rows to take: passes over those that another replica is taking, where it can. */
  readonly skipLocked: string;
  /**
   * A table of rows from one parameter, a JSON array of arrays: the texts of a row are `value->>0`, `value->>1` and so on.
   * On SQLite it has columns that are named like ours (`id`, `type`): name the table of those.
   */
  rows(parameter: string): string;
  /**
   * The condition that `column` is one of the integers of a parameter, a JSON array: so few that each is looked up in the
   * index of the column, where PostgreSQL would prepare for more, and read the whole table.
   */
  isAmong(column: string, parameter: string): string;
}

/**
 * Where SQL runs: the database itself, or a transaction of it. Parameters are `$1`, `$2` … in every dialect; the `?` of a
 * `SqlCondition` becomes one of them. `:now` is the time, epoch milliseconds: of PostgreSQL's own clock, which is one for
 * all replicas, and of the clock that SQLite was given.
 */
export interface Queryable {
  query<R extends Row>(sql: string, parameters?: readonly SqlValue[]): Promise<R[]>;
}

/** A transaction that is open. */
export interface Transaction extends Queryable {
  readonly sql: Dialect;
  /** The last statement of the transaction, which SQLite commits in the same exchange; nothing may follow it. */
  last<R extends Row>(sql: string, parameters?: readonly SqlValue[]): Promise<R[]>;
  /** Holds a lock from now to the end, on all replicas; waits while another transaction holds that of the same number. */
  lock(key: number): Promise<void>;
  /** Lets each statement from now to the end take an hour, waiting for a lock included. Only for the start. */
  liftDeadline(): Promise<void>;
}

/** A channel that is listened to. */
export interface Subscription {
  /** True if every message from now on will arrive; false while the connection is broken. */
  readonly isLive: boolean;
}

/**
 * The database. Statements are written once, in the SQL that all databases share; where they differ, `sql` has the
 * words. Whatever is asked of it rejects with a `StoreError` while the database does not answer or cannot do it, which
 * every listener answers with 503 (`toBffError`): callers catch nothing.
 */
export abstract class Database implements Queryable {
  abstract readonly sql: Dialect;
  /** Told of each statement and transaction, as its caller waits for it, whether the database answered. */
  reports: CallReports | undefined;

  abstract query<R extends Row>(sql: string, parameters?: readonly SqlValue[]): Promise<R[]>;

  /**
   * Runs `work` atomically: committed and on disk when the promise resolves, rolled back when it rejects.
   * SQLite runs one transaction at a time; `work` must not await anything but its own queries. It needs no
   * deadline as a whole: PostgreSQL ends each statement, and each pause between two; a statement of SQLite
   * cannot be interrupted (ADR 0016). A caller that must answer in time waits with `within`.
   */
  abstract transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;

  /**
   * Sends a message, of {@link NOTICE_BYTES_MAX} at most, to all replicas. It arrives at most once: a hint, not a
   * record.
   */
  abstract publish(channel: string, message: string): Promise<void>;

  /**
   * Listens to a channel.
   * @param onMessage called for each message that another replica, or this one, published
   * @param onGap called when messages may have been missed (the connection broke): drop whatever relied on them
   */
  abstract subscribe(channel: string, onMessage: (message: string) => void, onGap: () => void): Subscription;

  /** Resolves when the database answers and can be written to; rejects with the reason when not. */
  abstract ping(): Promise<void>;

  /**
   * A copy of everything, of one moment between two transactions, made beside whatever else is asked; undefined where the
   * server has a tool of its own. Of the embedded database it is made on the disk of `DATA_DIR`.
   */
  abstract backup(): Promise<Readable | undefined>;

  abstract close(): Promise<void>;

  /** The time of `:now`. */
  async now(): Promise<number> {
    const [row] = await this.query<{ now: number }>('SELECT :now AS now');
    return row!.now;
  }

  /** Reports how the work of the caller ended. */
  protected async reported<T>(work: Promise<T>): Promise<T> {
    try {
      const answer = await work;
      this.reports?.succeeded();
      return answer;
    } catch (error) {
      if (error instanceof StoreError) this.reports?.failed(error.message);
      throw error;
    }
  }
}
