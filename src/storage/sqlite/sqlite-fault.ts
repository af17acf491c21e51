import { ConfigError } from '../../config/load-config.js';
import { UnavailableError } from '../../config/faults/start-faults.js';
import { StoreError } from '../../errors/store-error.js';
import type { Fault } from './sqlite-worker.js';

/**
 * Primary result codes (https://sqlite.org/rescode.html) of a file or disk that is at fault: PERM, BUSY, LOCKED, NOMEM,
 * READONLY, INTERRUPT, IOERR, CORRUPT, FULL, CANTOPEN, PROTOCOL, NOTADB. All others are of the statement: ERROR (syntax, or
 * a table that is missing), CONSTRAINT, MISMATCH, RANGE and their like.
 */
const STORE_CODES: ReadonlySet<number> = new Set([3, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 26]);

const IN_USE =
  'holds a database that is in use by another process: stop it, choose another DATA_DIR, or set DATABASE_URL to run replicas';
export const DAMAGED = 'holds a database that is damaged: restore it from a backup';
export const NO_DATABASE = 'holds a bff.sqlite that is not a database';
/** What is wrong with a store at the start, by the same codes. */
const REASONS: Readonly<Record<number, string>> = {
  5: IN_USE,
  6: IN_USE,
  8: 'holds a database that is read-only',
  11: DAMAGED,
  13: 'is on a disk that is full',
  26: NO_DATABASE,
};
const IO_ERROR = 10;

/** How Node words a system call on a file that failed: a folder or disk is at fault. A thread keeps no more of its error. */
const FILE_FAULT = /^(E[A-Z\d]+): .*, (access|mkdir|open|read|stat)\b/;

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

/** The error for a store that cannot be used. */
export function storeFault(reason: string, cause?: unknown): ConfigError {
  return Object.assign(new ConfigError([`DATA_DIR ${reason}`]), { cause });
}

/**
 * Explains at the start why SQLite refuses the file, why there can be none, or why the thread that opens it did not start.
 */
export function refusalOf(error: unknown): ConfigError | UnavailableError {
  const { message, errcode } = error as Fault;
  if (errcode !== undefined) return storeFault(reasonOf(errcode), error);
  const [, fileFault] = FILE_FAULT.exec(message) ?? [];
  if (fileFault !== undefined) return storeFault(`cannot be written to (${fileFault})`, error);
  const { code } = error as NodeJS.ErrnoException;
  const reason = code === undefined ? String(error) : `${code}: ${message}`;
  return new UnavailableError(
    [`DATA_DIR cannot be opened, because the thread of the embedded database did not start (${reason})`],
    error,
  );
}

function reasonOf(errcode: number): string {
  const code = errcode & 0xff;
  if (code === IO_ERROR) return `is on a disk that cannot be read or written (SQLite error ${errcode})`;
  return REASONS[code] ?? `holds a database that cannot be opened (SQLite error ${code})`;
}
