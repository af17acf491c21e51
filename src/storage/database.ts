import type { Readable } from 'node:stream';
import { StoreError } from '../errors/store-error.js';
import type { CallReports } from '../telemetry/conditions/call-condition.js';

/** Longest message of a notice, in bytes of UTF-8. */
export const NOTICE_BYTES_MAX = 7_000; // PostgreSQL takes 8000

/** A value that every database stores unchanged. Times are epoch milliseconds. */
export type SqlValue = string | number | null;

/** A row, by column name. */
export type Row = Record<string, SqlValue>;

/** One step of the schema. A step that has been released is never edited. */
export interface Migration {
  readonly name: string;
  /** Statements, each ended by a semicolon at the end of its line. */
  readonly sql: string;
  /** The lowest `StoreVersion.format` that can use a store after this step: such versions need not know the step. */
  readonly oldestFormat: number;
}

/**
 * Where SQL runs: the database itself, or a transaction of it. Statements are written once, in what databases have in
 * common. Parameters are `$1`, `$2` …; the `?` of a `SqlCondition` becomes one of them. Each database has its own SQL for
 * these words:
 * - `:now`: the time, epoch milliseconds, of PostgreSQL's own clock, which is one for all replicas, and with SQLite of ours;
 * - `:rows`: a table of the items of `$1`, a JSON array; the texts of an array among them are `value->>0`, `value->>1` and
 *   so on. On SQLite it has columns that are named like ours (`id`, `type`): name the table of those;
 * - `:among`, after a column: is one of the integers of `$1`, a JSON array, so few that each is looked up in an index;
 * - `:skip_locked`: ends the `SELECT` of rows to take, and passes over those that another replica is taking;
 * - of migrations, `:int`, `:text` (in the order of its bytes), `:number` (the primary key in the order of inserts, of which
 *   none is given out twice), `:strict`, and `:rowless` of a table whose rows are looked for by its primary key.
 */
export interface Queryable {
  query<R extends Row>(sql: string, parameters?: readonly SqlValue[]): Promise<R[]>;
}

/** A transaction that is open. */
export interface Transaction extends Queryable {
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
 * The database. Whatever is asked of it rejects with a `StoreError` while the database does not answer or cannot do it,
 * which every listener answers with 503 (`toBffError`): callers catch nothing.
 */
export abstract class Database implements Queryable {
  /** The setting that names it. */
  abstract readonly setting: 'DATA_DIR' | 'DATABASE_URL';
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
