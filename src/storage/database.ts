import type { Readable } from 'node:stream';
import type { Dialect } from './dialect.js';

/** Longest message of a notice, in bytes of UTF-8. */
export const NOTICE_BYTES_MAX = 7_000; // PostgreSQL takes 8000

/** A value that every database stores unchanged. Times are epoch milliseconds. */
export type SqlValue = string | number | Uint8Array | null;

/** A row, by column name. */
export type Row = Record<string, SqlValue>;

/**
 * Where SQL runs: the database itself, or a transaction of it. Parameters are `$1`, `$2` … in every dialect; the `?` of a
 * `SqlCondition` becomes one of them.
 */
export interface Queryable {
  query<R extends Row>(sql: string, parameters?: readonly SqlValue[]): Promise<R[]>;
}

/** A transaction that is open. */
export interface Transaction extends Queryable {
  readonly sql: Dialect;
  /**
   * Holds a lock from now to the end, on all replicas; waits while another transaction holds that of the same number.
   */
  lock(key: number): Promise<void>;
  /** Lets each statement from now to the end take an hour, waiting for a lock included. Only for the start. */
  liftDeadline(): Promise<void>;
}

/** Called for each message another replica, or this one, published on a channel. */
export type NoticeListener = (message: string) => void;

/** When a committed transaction is on disk: before it is reported, or soon after. */
export type Durability = 'now' | 'later';

/** A channel that is listened to. */
export interface Subscription {
  /** True if every message from now on will arrive; false while the connection is broken. */
  isLive(): boolean;
}

/**
 * The database. Statements are written once, in the SQL that all databases share; where they differ, `sql` has the
 * words. Whatever is asked of it rejects with a `StoreError` while the database does not answer or cannot do it, which
 * every listener answers with 503 (`toBffError`): callers catch nothing.
 */
export abstract class Database implements Queryable {
  abstract readonly sql: Dialect;
  /** The setting that names it, for a fault of the start. */
  abstract readonly setting: 'DATA_DIR' | 'DATABASE_URL';

  abstract query<R extends Row>(sql: string, parameters?: readonly SqlValue[]): Promise<R[]>;

  /**
   * Runs `work` atomically: committed and on disk when the promise resolves, rolled back when it rejects.
   * SQLite runs one transaction at a time; `work` must not await anything but its own queries. It needs no
   * deadline as a whole: PostgreSQL ends each statement, and each pause between two, after 10 s; a statement of SQLite
   * cannot be interrupted (ADR 0016). A caller that must answer in time waits with `within`.
   * @param durability `later` does not wait for the disk: a crash of the machine may undo the latest transactions, in
   *   order and each as a whole. Only for writes that were not acknowledged to anyone.
   */
  abstract transaction<T>(work: (tx: Transaction) => Promise<T>, durability?: Durability): Promise<T>;

  /**
   * Sends a message, of {@link NOTICE_BYTES_MAX} at most, to all replicas. It arrives at most once: a hint, not a
   * record.
   */
  abstract publish(channel: string, message: string): Promise<void>;

  /**
   * Listens to a channel.
   * @param onGap called when messages may have been missed (the connection broke): drop whatever relied on them
   */
  abstract subscribe(channel: string, onMessage: NoticeListener, onGap: () => void): Subscription;

  /** Resolves when the database answers; rejects with the reason when it does not. */
  abstract ping(): Promise<void>;

  /**
   * A copy of everything, of one moment between two transactions; undefined where the server has a tool of its own. Of
   * the embedded database, whose other work waits while the copy is made on the disk of `DATA_DIR`.
   */
  abstract backup(): Promise<Readable | undefined>;

  abstract close(): Promise<void>;
}
