import type { Row, SqlValue } from '../database.js';

/** The file that a connection opens. */
export interface Store {
  /** Path of the file; `:memory:` keeps nothing. */
  readonly file: string;
  /** Marks a file that is created; undefined where a missing or empty file is refused. */
  readonly applicationId: number | undefined;
}

/** Statements to run in order, each with its parameters; one that fails ends them. */
export type Statements = readonly (readonly [sql: string, parameters: readonly SqlValue[]])[];

/** What the thread is asked: statements, a copy of the database in an empty file, or to end. */
export type Question = Statements | { readonly backup: string } | 'close';

/** Why a statement failed, with SQLite's result code (https://sqlite.org/rescode.html). */
export interface Fault {
  readonly message: string;
  readonly errcode: number | undefined;
}

/** The answer to {@link Statements}, in the order of the questions. */
export type Reply = { readonly rows: Row[] } | { readonly fault: Fault };
