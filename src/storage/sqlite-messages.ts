import type { Row, SqlValue } from './database.js';

/** The file that a connection opens, made with this application id when there is none. */
export interface Store {
  /** Path of the file; `:memory:` keeps nothing. */
  readonly file: string;
  readonly applicationId: number;
}

/** Statements to run in order, each with its parameters; one that fails ends them. */
export type Statements = readonly (readonly [sql: string, parameters: readonly SqlValue[]])[];

/** Why a statement failed, with SQLite's result code (https://sqlite.org/rescode.html). */
export interface Fault {
  readonly message: string;
  readonly errcode: number | undefined;
}

/** The answer to {@link Statements}, in the order of the questions. */
export type Reply = { readonly rows: Row[] } | { readonly fault: Fault };
