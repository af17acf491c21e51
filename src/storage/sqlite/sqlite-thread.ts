import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Row } from '../database.js';
import { errorOf, toStoreError } from './sqlite-fault.js';
import type { Question, Reply, Statements, Store } from './sqlite-messages.js';

/** Tests run from sources. */
const WORKER = new URL(`./sqlite-worker${extname(import.meta.filename)}`, import.meta.url);

/** What lives in the thread lives for one batch: Node's own 48 MB are more than that needs (ADR 0004). */
const resourceLimits = { maxYoungGenerationSizeMb: 6 };

/**
 * A thread with a connection to the embedded database, which answers in the order it is asked. It never starts again;
 * `SqliteDatabase` opens another one.
 */
export class SqliteThread {
  private readonly worker: Worker;
  private readonly asked: PromiseWithResolvers<Row[]>[] = [];
  private fault: Error | undefined;
  private ended = false;

  /** @param onEnd called with the reason when the thread has ended; its file is free by then */
  constructor(store: Store, onEnd: (reason: Error) => void) {
    this.worker = new Worker(WORKER, { workerData: store, name: 'sqlite', resourceLimits });
    this.worker.on('message', (reply: Reply) => this.settle(reply));
    this.worker.on('error', (error: Error) => this.fail(error));
    this.worker.on('exit', (code) => {
      this.ended = true;
      const reason =
        code === 0 ? 'the database is closed' : `the thread of the database has ended with code ${code}`;
      onEnd(this.fail(new Error(reason)));
    });
    this.worker.unref();
  }

  /** True if the thread has ended, and rejects every call. */
  get hasEnded(): boolean {
    return this.ended;
  }

  /** The rows of the last statement. The process stays alive while an answer is awaited. */
  ask(statements: Statements): Promise<Row[]> {
    return this.post(statements);
  }

  /** Copies the database into an empty file. Nothing else may be asked until it is done. */
  async backup(file: string): Promise<void> {
    await this.post({ backup: file });
  }

  private post(question: Question): Promise<Row[]> {
    if (this.fault) return Promise.reject(this.fault);
    const answer = Promise.withResolvers<Row[]>();
    if (this.asked.push(answer) === 1) this.worker.ref();
    this.worker.postMessage(question);
    return answer.promise;
  }

  /** Ends the thread after what it was asked before. */
  async close(): Promise<void> {
    if (this.ended) return;
    const exit = new Promise((resolve) => this.worker.once('exit', resolve));
    this.worker.ref();
    this.worker.postMessage('close');
    await exit;
  }

  private settle(reply: Reply): void {
    const answer = this.asked.shift();
    if (!answer) return; // rejected already: Node may report an error before the last messages
    if (this.asked.length === 0) this.worker.unref();
    if ('rows' in reply) answer.resolve(reply.rows);
    else answer.reject(errorOf(reply.fault));
  }

  private fail(error: Error): Error {
    this.fault ??= toStoreError(error);
    for (const answer of this.asked.splice(0)) answer.reject(this.fault);
    return this.fault;
  }
}
