import { EventEmitter } from 'node:events';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Log } from '../../telemetry/log.js';
import { APPLICATION_IDS, storeFile, type StoreMaker } from './check-store.js';
import type {
  Database,
  Durability,
  NoticeListener,
  Row,
  SqlValue,
  Subscription,
  Transaction,
} from '../database.js';
import { halfBackupName } from './half-backups.js';
import { SQLITE_DIALECT } from './sqlite-dialect.js';
import { toStoreError } from './sqlite-fault.js';
import type { Statements } from './sqlite-messages.js';
import { SqliteThread } from './sqlite-thread.js';

/** From one attempt to open the database to the next. */
const REOPEN_INTERVAL_MS = 1_000;

const COMMIT = ['COMMIT', []] as const;
const ROLLBACK = ['ROLLBACK', []] as const;
const SYNC_FULL = ['PRAGMA synchronous = FULL', []] as const;
/** How a transaction begins and ends, by its durability. */
const TRANSACTIONS: Readonly<Record<Durability, { begin: Statements; end: Statements }>> = {
  now: { begin: [['BEGIN IMMEDIATE', []]], end: [] },
  later: {
    begin: [
      ['PRAGMA synchronous = NORMAL', []],
      ['BEGIN IMMEDIATE', []],
    ],
    end: [SYNC_FULL],
  },
};

/**
 * The embedded database, for one process: an exclusive lock refuses a second one, a commit is on disk
 * (`synchronous=FULL`) before it is reported, and survives a power cut. Its connection is on a thread of its own. When
 * that thread ends, what was under way is rejected, and a later statement opens the database again: at most once a
 * second, and never a new one in its place. A transaction stays on the connection it began on.
 */
export class SqliteDatabase implements Database {
  readonly sql = SQLITE_DIALECT;
  readonly setting = 'DATA_DIR';
  private readonly notices = new EventEmitter().setMaxListeners(0);
  private thread: SqliteThread;
  /** On the clock of `now`. */
  private openedAt = -Infinity;
  private state: 'new' | 'up' | 'down' | 'closed' = 'new';
  /** Why it is down. */
  private reason: string | undefined;
  /** Ends with the latest transaction. */
  private tail: Promise<unknown> = Promise.resolve();

  /**
   * Opens the file; while it cannot be used, every call rejects with SQLite's error.
   * @param dataDir folder of the file, created when absent; `:memory:` keeps nothing, and does not survive its thread
   * @param maker the mode that a new file is marked with
   * @param log receives a line when the thread ends, and when the database is open again
   * @param now a clock in milliseconds
   */
  constructor(
    private readonly dataDir: string,
    private readonly maker: StoreMaker = 'service',
    private readonly log?: Pick<Log, 'info' | 'warn'>,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.thread = this.open();
  }

  /** Waits for the open transaction, so that a statement from outside cannot become part of it. */
  query<R extends Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<R[]> {
    return this.tail.then(() => this.ask(this.current(), [[sql, parameters]])) as Promise<R[]>;
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>, durability: Durability = 'now'): Promise<T> {
    const result = this.tail.then(() => this.runTransaction(work, TRANSACTIONS[durability]));
    this.tail = result.catch(() => undefined);
    return result;
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

  async backup(): Promise<Readable> {
    const folder = this.dataDir === ':memory:' ? tmpdir() : this.dataDir;
    const file = join(folder, halfBackupName());
    const target = await open(file, 'wx+', 0o600);
    try {
      const copy = this.tail.then(() => this.current().backup(file));
      this.tail = copy.catch(() => undefined);
      await copy;
      return target.createReadStream({ start: 0 });
    } catch (error) {
      await target.close();
      throw error;
    } finally {
      await rm(file); // what is open stays readable
    }
  }

  async close(): Promise<void> {
    await this.tail;
    this.state = 'closed';
    await this.thread.close();
  }

  private async runTransaction<T>(
    work: (tx: Transaction) => Promise<T>,
    { begin, end }: { readonly begin: Statements; readonly end: Statements },
  ): Promise<T> {
    const thread = this.current();
    let before = begin; // goes with the first statement: each question to the thread takes its time
    try {
      const result = await work({
        sql: SQLITE_DIALECT,
        lock: async () => undefined, // transactions run one at a time
        liftDeadline: async () => undefined, // there is none
        query: <R extends Row>(sql: string, parameters: readonly SqlValue[] = []) => {
          const statements = [...before, [sql, parameters] as const];
          before = [];
          return this.ask(thread, statements) as Promise<R[]>;
        },
      });
      await thread.ask([...before, COMMIT, ...end]);
      return result;
    } catch (error) {
      await thread.ask([ROLLBACK]).catch(() => undefined); // SQLite has already rolled back for some errors
      await thread.ask([SYNC_FULL]).catch(() => undefined);
      throw error;
    }
  }

  /** The open thread; opens the database again if that is due. */
  private current(): SqliteThread {
    const isDue = this.now() >= this.openedAt + REOPEN_INTERVAL_MS;
    if (this.thread.hasEnded && this.state !== 'closed' && isDue) this.thread = this.reopen();
    return this.thread;
  }

  /** The system may have no thread to give. */
  private reopen(): SqliteThread {
    try {
      return this.open();
    } catch (error) {
      throw toStoreError(error as Error);
    }
  }

  private open(): SqliteThread {
    this.openedAt = this.now();
    const file = this.dataDir === ':memory:' ? this.dataDir : storeFile(this.dataDir);
    const applicationId = this.state === 'new' ? APPLICATION_IDS[this.maker] : undefined;
    return new SqliteThread({ file, applicationId }, (reason) => this.goDown(reason));
  }

  private async ask(thread: SqliteThread, statements: Statements): Promise<Row[]> {
    const rows = await thread.ask(statements);
    if (this.state === 'down') this.log?.info('the embedded database is open again');
    if (this.state !== 'closed') this.state = 'up';
    return rows;
  }

  /** Logged again when an attempt to open the database fails for another reason. */
  private goDown(err: Error): void {
    const isKnown = this.state === 'down' && this.reason === err.message;
    if (this.state === 'new' || this.state === 'closed' || isKnown) return;
    this.state = 'down';
    this.reason = err.message;
    this.log?.warn({ err }, 'the embedded database failed: statements fail until it is open again');
  }
}
