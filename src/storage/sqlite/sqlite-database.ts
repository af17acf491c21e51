import { EventEmitter } from 'node:events';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname } from 'node:path';
import type { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { Database, type Row, type SqlValue, type Subscription, type Transaction } from '../database.js';
import { APPLICATION_IDS, storeFile, type StoreMaker } from './check-store.js';
import { errorOf, toStoreError } from './sqlite-fault.js';
import type { Asked, Question, Reply, Statements, StoreFile } from './sqlite-worker.js';

/** Tests run from sources. */
const WORKER = new URL(`./sqlite-worker${extname(import.meta.filename)}`, import.meta.url);
/** Objects in the thread live for one batch, which needs less than Node's own 48 MB (ADR 0004). */
const resourceLimits = { maxYoungGenerationSizeMb: 6 };

const BEGIN = ['BEGIN IMMEDIATE', []] as const;
const COMMIT = ['COMMIT', []] as const;
const ROLLBACK = ['ROLLBACK', []] as const;

/**
 * The embedded database, for one process: an exclusive lock refuses a second one, a commit is on disk
 * (`synchronous=FULL`) before it is reported, and survives a power cut. Its connection is on a thread of its own, which
 * answers in the order it is asked. The thread is not started again: a process that has lost it ends, and what restarts
 * the process has the file checked as at every start.
 */
export class SqliteDatabase extends Database {
  readonly setting = 'DATA_DIR';
  private readonly notices = new EventEmitter().setMaxListeners(0);
  private readonly worker: Worker;
  private readonly asked = new Map<number, PromiseWithResolvers<Row[]>>();
  private questions = 0;
  /** True from the first answer of the thread until it is to end. */
  private isOpen = false;
  /** Why the thread is asked nothing more. */
  private fault: Error | undefined;
  /** Ends with the latest transaction. */
  private tail: Promise<unknown> = Promise.resolve();
  /** Ends with the latest copy. */
  private copying: Promise<unknown> = Promise.resolve();

  /**
   * Opens the file; where it cannot be used, every call rejects with SQLite's error.
   * @param dataDir folder of the file; `:memory:` keeps nothing
   * @param maker the mode that a new file is marked with
   * @param onDeath called when the thread of an open database has ended, with the reason
   */
  constructor(
    private readonly dataDir: string,
    maker: StoreMaker = 'service',
    private readonly onDeath = (reason: Error): void => {
      throw reason; // of an event, which nothing catches
    },
  ) {
    super();
    const path = dataDir === ':memory:' ? dataDir : storeFile(dataDir);
    const workerData: StoreFile = { path, applicationId: APPLICATION_IDS[maker] };
    this.worker = new Worker(WORKER, { workerData, name: 'sqlite', resourceLimits });
    this.worker.on('message', (reply: Reply) => this.settle(reply));
    this.worker.on('error', (error: Error) => this.fail(error));
    this.worker.on('exit', (code) =>
      this.fail(new Error(`the thread of the embedded database has ended with code ${code}`)),
    );
    this.worker.unref();
  }

  /** Waits for the open transaction, so that a statement from outside cannot become part of it. */
  query<R extends Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<R[]> {
    const answer = this.tail.then(() => this.post({ statements: [this.bound(sql, parameters)] }));
    return this.reported(answer as Promise<R[]>);
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const result = this.tail.then(() => this.run(work));
    this.tail = result.catch(() => undefined);
    return this.reported(result);
  }

  async publish(channel: string, message: string): Promise<void> {
    this.notices.emit(channel, message);
  }

  subscribe(channel: string, onMessage: (message: string) => void): Subscription {
    this.notices.on(channel, onMessage);
    return { isLive: true };
  }

  async ping(): Promise<void> {
    await this.query('SELECT 1');
  }

  backup(): Promise<Readable> {
    const copy = this.copying.then(() => this.copy());
    this.copying = copy.catch(() => undefined);
    return copy;
  }

  private async copy(): Promise<Readable> {
    const file = `${storeFile(this.dataDir === ':memory:' ? tmpdir() : this.dataDir)}-backup`; // a name of nobody else's
    for (const left of [file, `${file}-journal`]) await rm(left, { force: true }); // by a process that was killed
    const target = await open(file, 'wx+', 0o600);
    try {
      await this.post({ backup: file });
      return target.createReadStream({ start: 0 });
    } catch (error) {
      await target.close();
      throw error;
    } finally {
      await rm(file); // what is open stays readable
    }
  }

  /** Ends the thread after what it was asked before, copies included. */
  async close(): Promise<void> {
    await Promise.all([this.tail, this.copying]);
    const closed = this.post({ close: true });
    this.isOpen = false;
    this.fault ??= toStoreError(new Error('the database is closed'));
    await closed.catch(() => undefined); // it has ended already
  }

  private async run<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    let before: Statements = [BEGIN]; // goes with the first statement: each question to the thread takes its time
    let isOver = false;
    const send = (own: Statements): Promise<Row[]> => {
      const statements = [...before, ...own];
      before = [];
      return this.post({ statements });
    };
    try {
      const result = await work({
        lock: async () => undefined, // transactions run one at a time
        liftDeadline: async () => undefined, // there is none
        query: <R extends Row>(sql: string, parameters: readonly SqlValue[] = []) =>
          send([this.bound(sql, parameters)]) as Promise<R[]>,
        last: <R extends Row>(sql: string, parameters: readonly SqlValue[] = []) => {
          isOver = true;
          return send([this.bound(sql, parameters), COMMIT]) as Promise<R[]>;
        },
      });
      if (!isOver) await send([COMMIT]);
      return result;
    } catch (error) {
      await this.post({ statements: [ROLLBACK] }).catch(() => undefined); // SQLite has already rolled back for some errors
      throw error;
    }
  }

  /** `:now` is one more parameter. */
  private bound(sql: string, parameters: readonly SqlValue[]): Statements[number] {
    if (!sql.includes(':now')) return [sql, parameters];
    return [sql.replaceAll(':now', `$${parameters.length + 1}`), [...parameters, Date.now()]];
  }

  /** The rows of the last statement. The process stays alive while an answer is awaited. */
  private post(question: Question): Promise<Row[]> {
    if (this.fault) return Promise.reject(this.fault);
    const answer = Promise.withResolvers<Row[]>();
    if (this.asked.size === 0) this.worker.ref();
    const id = (this.questions += 1);
    this.asked.set(id, answer);
    this.worker.postMessage({ id, ...question } satisfies Asked);
    return answer.promise;
  }

  private settle(reply: Reply): void {
    const answer = this.asked.get(reply.id);
    if (!answer) return; // rejected already: Node may report an error before the last messages
    this.asked.delete(reply.id);
    if (this.asked.size === 0) this.worker.unref();
    this.isOpen ||= this.fault === undefined;
    if ('rows' in reply) answer.resolve(reply.rows);
    else answer.reject(errorOf(reply.fault));
  }

  /** Called twice where Node says why the thread ends before it says that it has; what is told first counts. */
  private fail(error: Error): void {
    const wasOpen = this.isOpen;
    this.isOpen = false;
    this.fault ??= toStoreError(error);
    for (const answer of this.asked.values()) answer.reject(this.fault);
    this.asked.clear();
    if (wasOpen) this.onDeath(this.fault);
  }
}
