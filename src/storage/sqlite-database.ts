import { EventEmitter } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { APPLICATION_IDS, storeFile, type StoreMaker } from './check-store.js';
import type {
  Database,
  Durability,
  NoticeListener,
  Queryable,
  Row,
  SqlValue,
  Subscription,
} from './database.js';
import type { Reply, Statements, Store } from './sqlite-messages.js';

/** Tests run from sources. */
const WORKER = new URL(`./sqlite-worker${extname(import.meta.filename)}`, import.meta.url);

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
 * (`synchronous=FULL`) before it is reported, and survives a power cut. Its connection is on a thread of its own, which
 * answers in the order it is asked.
 */
export class SqliteDatabase implements Database {
  readonly dialect = 'sqlite';
  private readonly worker: Worker;
  private readonly asked: PromiseWithResolvers<Row[]>[] = [];
  private readonly notices = new EventEmitter().setMaxListeners(0);
  /** Ends with the latest transaction. */
  private tail: Promise<unknown> = Promise.resolve();
  private lost: Error | undefined;

  /**
   * Opens the file; when it cannot be used, every call rejects with SQLite's error.
   * @param dataDir folder of the file, created when absent; `:memory:` keeps nothing
   * @param maker the mode that a new file is marked with
   */
  constructor(dataDir: string, maker: StoreMaker = 'service') {
    const file = dataDir === ':memory:' ? dataDir : storeFile(dataDir);
    const store: Store = { file, applicationId: APPLICATION_IDS[maker] };
    this.worker = new Worker(WORKER, { workerData: store, name: 'sqlite' });
    this.worker.on('message', (reply: Reply) => this.settle(reply));
    this.worker.on('error', (error: Error) => this.lose(error));
    this.worker.on('exit', () => this.lose(new Error('the database is closed')));
    this.worker.unref();
  }

  /** Waits for the open transaction, so that a statement from outside cannot become part of it. */
  query<R extends Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<R[]> {
    return this.tail.then(() => this.ask([[sql, parameters]])) as Promise<R[]>;
  }

  transaction<T>(work: (tx: Queryable) => Promise<T>, durability: Durability = 'now'): Promise<T> {
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

  async close(): Promise<void> {
    await this.tail;
    if (this.lost) return;
    const closed = new Promise<void>((resolve) => this.worker.once('exit', () => resolve()));
    this.worker.ref();
    this.worker.postMessage('close');
    await closed;
  }

  private async runTransaction<T>(
    work: (tx: Queryable) => Promise<T>,
    { begin, end }: { readonly begin: Statements; readonly end: Statements },
  ): Promise<T> {
    try {
      await this.ask(begin);
      const result = await work({
        query: <R extends Row>(sql: string, parameters: readonly SqlValue[] = []) =>
          this.ask([[sql, parameters]]) as Promise<R[]>,
      });
      await this.ask([COMMIT, ...end]);
      return result;
    } catch (error) {
      await this.ask([ROLLBACK]).catch(() => undefined); // SQLite has already rolled back for some errors
      await this.ask([SYNC_FULL]).catch(() => undefined);
      throw error;
    }
  }

  /** The process stays alive while an answer is awaited. */
  private ask(statements: Statements): Promise<Row[]> {
    if (this.lost) return Promise.reject(this.lost);
    const answer = Promise.withResolvers<Row[]>();
    if (this.asked.push(answer) === 1) this.worker.ref();
    this.worker.postMessage(statements);
    return answer.promise;
  }

  private settle(reply: Reply): void {
    const answer = this.asked.shift()!;
    if (this.asked.length === 0) this.worker.unref();
    if ('rows' in reply) answer.resolve(reply.rows);
    else answer.reject(Object.assign(new Error(reply.fault.message), { errcode: reply.fault.errcode }));
  }

  private lose(error: Error): void {
    this.lost ??= error;
    for (const answer of this.asked.splice(0)) answer.reject(this.lost);
  }
}
