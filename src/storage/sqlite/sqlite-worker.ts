import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import type { Fault, Question, Reply, Statements, Store } from './sqlite-messages.js';

/**
 * The thread that owns the connection to the embedded database, so that neither a statement nor the disk holds up the
 * event loop (ADR 0016). Started by `SqliteThread`, and ended by an error when the file cannot be used. Imports no
 * module of ours, since tests run it from its source.
 */
const PREPARED_STATEMENTS_MAX = 200;
/** A checkpoint runs within a commit: SQLite's default of 1,000 pages takes twice as long (ADR 0014). */
const CHECKPOINT_PAGES = 400;
/** In one step, since nothing else may be done meanwhile. */
const BACKUP_PAGES = 10_000;

const port = parentPort!;
const prepared = new LRUCache<string, StatementSync>({ max: PREPARED_STATEMENTS_MAX });
const connection = open(workerData as Store);

port.on('message', (question: Question) => {
  if (question === 'close') {
    connection.close();
    port.close();
  } else if ('backup' in question) {
    backup(connection, question.backup, { rate: BACKUP_PAGES }).then(
      () => port.postMessage({ rows: [] } satisfies Reply),
      (error: unknown) => port.postMessage({ fault: faultOf(error) } satisfies Reply),
    );
  } else {
    port.postMessage(answer(question));
  }
});

/** Runs the statements in order up to the first that fails; the answer holds the rows of the last. */
function answer(statements: Statements): Reply {
  try {
    let rows: unknown[] = [];
    for (const [sql, parameters] of statements) {
      rows = prepare(connection, sql).all(...(parameters as SQLInputValue[]));
    }
    return { rows } as Reply;
  } catch (error) {
    return { fault: faultOf(error) };
  }
}

function prepare(database: DatabaseSync, sql: string): StatementSync {
  const known = prepared.get(sql);
  if (known) return known;
  const statement = database.prepare(toSqlite(sql));
  prepared.set(sql, statement);
  return statement;
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

function open({ file, applicationId }: Store): DatabaseSync {
  if (applicationId === undefined) expectFile(file);
  else if (file !== ':memory:') makeFile(file);
  const database = new DatabaseSync(file);
  try {
    database.exec('PRAGMA busy_timeout = 5000');
    lock(database, applicationId);
    database.exec('PRAGMA foreign_keys = ON');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Creates an empty file that only our account can read; SQLite gives the files beside it the same mode. */
function makeFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  closeSync(openSync(file, 'a', 0o600));
}

/** SQLite would create a missing file, and delete the write-ahead log of an empty one. */
function expectFile(file: string): void {
  const { size = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {};
  if (size === 0) throw new Error('the database that was open is gone');
}

/**
 * Takes the lock for the life of the connection; an empty transaction makes SQLite acquire it now. A new file is marked
 * before its journal mode is set, so that the mark is never in the write-ahead log only.
 */
function lock(database: DatabaseSync, applicationId: number | undefined): void {
  database.exec('PRAGMA locking_mode = EXCLUSIVE');
  const isNew = database.prepare('PRAGMA page_count').get()?.['page_count'] === 0;
  if (isNew) database.exec(`PRAGMA application_id = ${applicationId}`);
  database.exec('PRAGMA journal_mode = WAL');
  database.exec('PRAGMA synchronous = FULL');
  database.exec('PRAGMA secure_delete = FAST'); // what is erased is not left in free space
  database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  database.exec('BEGIN EXCLUSIVE; COMMIT');
}

/** The part of an error that passes between threads: a structured clone keeps none of its own properties. */
function faultOf(error: unknown): Fault {
  const { message, errcode } = error as Error & { errcode?: number };
  return { message, errcode };
}
