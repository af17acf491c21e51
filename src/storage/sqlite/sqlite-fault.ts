import { StoreError } from '../../errors/store-error.js';
import type { Fault } from './sqlite-worker.js';

/**
 * Primary result codes (https://sqlite.org/rescode.html) of a file or disk that is at fault: PERM, BUSY, LOCKED, NOMEM,
 * READONLY, INTERRUPT, IOERR, CORRUPT, FULL, CANTOPEN, PROTOCOL, NOTADB. All others are of the statement: ERROR (syntax, or
 * a table that is missing), CONSTRAINT, MISMATCH, RANGE and their like.
 */
const STORE_CODES: ReadonlySet<number> = new Set([3, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 26]);

/**
 * The error for a statement that failed: a {@link StoreError} where the store is at fault, with SQLite's as its cause. A
 * statement that is wrong, or violates a constraint, is a mistake of ours and has SQLite's own error.
 */
export function errorOf({ message, errcode }: Fault): Error {
  const error = Object.assign(new Error(message), { errcode });
  return errcode !== undefined && STORE_CODES.has(errcode & 0xff) ? toStoreError(error) : error;
}

/** The error for a thread that has ended or cannot be started: no statement is answered. */
export function toStoreError(error: Error): StoreError {
  return new StoreError('database', error.message, { cause: error });
}
