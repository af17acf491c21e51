import { EventEmitter } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import { APPLICATION_IDS, refusalOf, storeFile, type StoreMaker } from './check-store.js';
import type {
  Database,
  Durability,
  NoticeListener,
  Queryable,
  Row,
  SqlValue,
  Subscription,
} from './database.js';

const PREPARED_STATEMENTS_MAX = 200;
/** A checkpoint runs within a commit, on the event loop: SQLite's default of 1,000 pages takes twice as long (ADR 0014). */
const CHECKPOINT_PAGES = 400;

/**
 * The embedded database, for one process: an exclusive lock refuses a second one, a commit is on disk
 * (`synchronous=FULL`) before it is reported, and survives a power cut.
 */
export class SqliteDatabase implements Database {
  readonly dialect = 'sqlite';
  private readonly connection: DatabaseSync;
  private readonly statements: LRUCache<string, StatementSync>;
  private readonly notices = new EventEmitter().setMaxListeners(0);
  private tail: Promise<unknown> = Promise.resolve();

  /**
   * @param dataDir folder of the file, created when absent; `:memory:` keeps nothing
   * @param maker the mode that a new file is marked with
   * @throws ConfigError when another process uses the file, or it cannot be used
   */
  constructor(dataDir: string, maker: StoreMaker = 'service') {
    if (dataDir !== ':memory:') makeFile(dataDir);
    this.connection = new DatabaseSync(dataDir === ':memory:' ? dataDir : storeFile(dataDir));
    this.connection.exec('PRAGMA busy_timeout = 5000');
    lock(this.connection, maker);
    this.connection.exec('PRAGMA foreign_keys = ON');
    this.statements = new LRUCache({ max: PREPARED_STATEMENTS_MAX });
  }

  /** Waits for the open transaction, so that a statement from outside cannot become part of it. */
  query<R extends Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<R[]> {
    return this.enqueue(async () => this.run<R>(sql, parameters));
  }

  transaction<T>(work: (tx: Queryable) => Promise<T>, durability: Durability = 'now'): Promise<T> {
    return this.enqueue(async () => {
      if (durability === 'later') this.connection.exec('PRAGMA synchronous = NORMAL');
      this.connection.exec('BEGIN IMMEDIATE');
      try {
        const result = await work({ query: async (sql, parameters = []) => this.run(sql, parameters) });
        this.connection.exec('COMMIT');
        return result;
      } catch (error) {
        if (this.connection.isTransaction) this.connection.exec('ROLLBACK');
        throw error;
      } finally {
        if (durability === 'later') this.connection.exec('PRAGMA synchronous = FULL');
      }
    });
  }

  async publish(channel: string, message: string): Promise<void> {
    this.notices.emit(channel, message);
  }

  subscribe(channel: string, onMessage: NoticeListener): Subscription {
    this.notices.on(channel, onMessage);
    return { isLive: () => true };
  }

  async ping(): Promise<void> {
    await this.query('SELECT 1');
  }

  async close(): Promise<void> {
    await this.enqueue(async () => this.connection.close());
  }

  private enqueue<T>(task: () => Promise<T>): Promise<T> {
    const result = this.tail.then(task);
    this.tail = result.catch(() => undefined);
    return result;
  }

  private run<R extends Row>(sql: string, parameters: readonly SqlValue[]): R[] {
    let statement = this.statements.get(sql);
    if (!statement) {
      statement = this.connection.prepare(toSqlite(sql));
      this.statements.set(sql, statement);
    }
    return statement.all(...(parameters as SQLInputValue[])) as R[];
  }
}

/** Creates an empty file that only our account can read; SQLite gives the files beside it the same mode. */
function makeFile(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  closeSync(openSync(storeFile(dataDir), 'a', 0o600));
}

/**
 * The statement with SQLite's own parameters: plain `?` where they are in order, since numbered ones are looked up
 * one by one, which makes a long insert several times slower.
 */
function toSqlite(sql: string): string {
  const numbers = [...sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number));
  const inOrder = numbers.every((number, index) => number === index + 1);
  return sql.replaceAll(/\$(\d+)/g, inOrder ? '?' : '?$1');
}

/**
 * Takes the lock for the life of the connection; an empty transaction makes SQLite acquire it now. A new file is marked
 * before its journal mode is set, so that the mark is never in the write-ahead log only.
 */
function lock(connection: DatabaseSync, maker: StoreMaker): void {
  try {
    connection.exec('PRAGMA locking_mode = EXCLUSIVE');
    const isNew = connection.prepare('PRAGMA page_count').get()?.['page_count'] === 0;
    if (isNew) connection.exec(`PRAGMA application_id = ${APPLICATION_IDS[maker]}`);
    connection.exec('PRAGMA journal_mode = WAL');
    connection.exec('PRAGMA synchronous = FULL');
    connection.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    connection.exec('BEGIN EXCLUSIVE; COMMIT');
  } catch (error) {
    connection.close();
    throw refusalOf(error);
  }
}
