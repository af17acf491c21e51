import { closeSync, openSync } from 'node:fs';
import { backup, DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import type { Row, SqlValue } from '../database.js';

/** The file that the thread opens. */
export interface StoreFile {
  /** `:memory:` keeps nothing. */
  readonly path: string;
  /** Marks a file that is created. */
  readonly applicationId: number;
}

/** Statements to run in order, each with its parameters; one that fails ends them. */
export type Statements = readonly (readonly [sql: string, parameters: readonly SqlValue[]])[];

/** What the thread is asked: statements, a copy of the database in an empty file, or to end. */
export type Question =
  { readonly statements: Statements } | { readonly backup: string } | { readonly close: true };

/** A {@link Question}, by a number that its answer has, too. */
export type Asked = Question & { readonly id: number };

/** Why a statement failed, with SQLite's result code (https://sqlite.org/rescode.html). */
export interface Fault {
  readonly message: string;
  readonly errcode: number | undefined;
}

/** The answer to a {@link Question}: statements in their order, a copy whenever it is whole. */
export type Reply = { readonly id: number } & ({ readonly rows: Row[] } | { readonly fault: Fault });

/**
 * The thread that owns the connection to the embedded database, so that neither a statement nor the disk holds up the
 * event loop (ADR 0016). Started by `SqliteDatabase`, and ended by an error when the file cannot be used. Imports no
 * module of ours but types, since tests run it from its source.
 */
const PREPARED_STATEMENTS_MAX = 200;
/** A checkpoint runs within a commit: SQLite's default of 1,000 pages takes twice as long (ADR 0016). */
const CHECKPOINT_PAGES = 400;
/** Of one step of a copy, which a statement may have to wait for: a megabyte. There is one copy at a time. */
const BACKUP_PAGES = 256;

const port = parentPort!;
const prepared = new LRUCache<string, StatementSync>({ max: PREPARED_STATEMENTS_MAX });
const connection = open(workerData as StoreFile);

port.on('message', take);

function take(question: Asked): void {
  const { id } = question;
  const answer = (rows: Row[]): void => port.postMessage({ id, rows } satisfies Reply);
  const fail = (error: unknown): void => port.postMessage({ id, fault: faultOf(error) } satisfies Reply);
  if ('close' in question) {
    connection.close();
    answer([]);
    port.close();
  } else if ('backup' in question) {
    void copy(question.backup).then(() => answer([]), fail);
  } else {
    try {
      answer(run(question.statements));
    } catch (error) {
      fail(error);
    }
  }
}

/**
 * Copies the database into an empty file, step by step; what is written meanwhile is in the copy, too. A step waits for the
 * statement that runs, and for an open transaction: only the first fails then, with the code of no error, and is tried again.
 */
async function copy(path: string): Promise<void> {
  for (;;) {
    try {
      await backup(connection, path, { rate: BACKUP_PAGES });
      return;
    } catch (error) {
      if (faultOf(error).errcode !== 0) throw error;
    }
  }
}

/** Runs the statements in order up to the first that fails; returns the rows of the last, a `COMMIT` after it aside. */
function run(statements: Statements): Row[] {
  let rows: unknown[] = [];
  for (const [sql, parameters] of statements) {
    const found = prepare(sql).all(...(parameters as SQLInputValue[]));
    if (sql !== 'COMMIT') rows = found;
  }
  return rows as Row[];
}

function prepare(sql: string): StatementSync {
  const known = prepared.get(sql);
  if (known) return known;
  const statement = connection.prepare(toSqlite(sql));
  prepared.set(sql, statement);
  return statement;
}

/** SQL of SQLite for the words of our statements. Transactions run one at a time: there is no lock to pass over. */
const WORDS: Readonly<Record<string, string>> = {
  rows: 'jsonb_each($1)', // with json_each, each text of a row parses the row again
  among: 'IN (SELECT value FROM json_each($1))',
  skip_locked: '',
  int: 'INTEGER',
  text: 'TEXT',
  number: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  strict: 'STRICT',
  rowless: 'STRICT, WITHOUT ROWID',
};

/** The statement with plain `?` where its parameters are in order: Node binds values by name at four times the cost. */
function toSqlite(text: string): string {
  const sql = text.replaceAll(/:(\w+)/g, (all, word: string) => WORDS[word] ?? all);
  const numbers = [...sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number));
  const inOrder = numbers.every((number, index) => number === index + 1);
  return sql.replaceAll(/\$(\d+)/g, inOrder ? '?' : '?$1');
}

function open({ path, applicationId }: StoreFile): DatabaseSync {
  // only our account can read it; SQLite gives the files beside it the same mode
  if (path !== ':memory:') closeSync(openSync(path, 'a', 0o600));
  const database = new DatabaseSync(path);
  try {
    lock(database, applicationId);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Takes the lock for the life of the connection; an empty transaction makes SQLite acquire it now. A new file is marked
 * before its journal mode is set, so that the mark is never in the write-ahead log only.
 */
function lock(database: DatabaseSync, applicationId: number): void {
  database.exec('PRAGMA busy_timeout = 5000; PRAGMA locking_mode = EXCLUSIVE');
  const isNew = database.prepare('PRAGMA page_count').get()?.['page_count'] === 0;
  if (isNew) database.exec(`PRAGMA application_id = ${applicationId}`);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  database.exec('PRAGMA secure_delete = FAST'); // what is erased is not left in free space
  database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}; PRAGMA foreign_keys = ON`);
  database.exec('BEGIN EXCLUSIVE; COMMIT');
}

/** The part of an error that passes between threads: a structured clone keeps none of its own properties. */
function faultOf(error: unknown): Fault {
  const { message, errcode } = error as Error & { errcode?: number };
  return { message, errcode };
}
