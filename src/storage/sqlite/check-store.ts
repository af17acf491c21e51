import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readSync,
  statSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { ConfigError } from '../../config/load-config.js';
import { UnavailableError } from '../../config/faults/start-faults.js';
import { versionFault } from '../migrate.js';

/** Which mode created an embedded store: the service with a real upstream, or the playground. */
export type StoreMaker = 'service' | 'playground';

/** The creator of a file, in its header (https://sqlite.org/fileformat.html, "Application ID"); older files hold 0. */
export const APPLICATION_IDS: Readonly<Record<StoreMaker, number>> = {
  service: 0x42464653,
  playground: 0x42464650,
};

const HEADER_BYTES = 100;
const SIGNATURE = 'SQLite format 3\0';
const APPLICATION_ID_OFFSET = 68;
/** The pages of a larger file are not checked at start. */
const CHECKED_BYTES_MAX = 536_870_912;
const BUSY_TIMEOUT_MS = 5_000;

/** The file of the embedded database. */
export function storeFile(dataDir: string): string {
  return join(dataDir, 'bff.sqlite');
}

/**
 * Verifies that the embedded database can be used in this mode, before anything is written to it.
 * @throws ConfigError when the store was created in the other mode or by another program, or is in use, read-only,
 *   damaged, or of a newer version; the file is left unchanged
 */
export function checkStore(dataDir: string, maker: StoreMaker): void {
  if (dataDir === ':memory:') return;
  makeFolder(dataDir);
  const file = storeFile(dataDir);
  const stats = accessible(() => statSync(file, { throwIfNoEntry: false }));
  if (stats === undefined || (stats.isFile() && stats.size === 0)) return;
  const header = stats.isFile() ? accessible(() => readHeader(file)) : Buffer.alloc(0);
  if (!header.subarray(0, SIGNATURE.length).equals(Buffer.from(SIGNATURE))) {
    throw storeFault('holds a bff.sqlite that is not a database');
  }
  checkMaker(header.readUInt32BE(APPLICATION_ID_OFFSET), maker);
  checkWritable(file);
  checkContent(file, stats.size);
}

/** The error for a store that cannot be used. */
export function storeFault(reason: string, cause?: unknown): ConfigError {
  return Object.assign(new ConfigError([`DATA_DIR ${reason}`]), { cause });
}

/** Explains why SQLite refuses the file, why there can be none, or why the thread that opens it did not start. */
export function refusalOf(error: unknown): ConfigError | UnavailableError {
  const { errcode } = error as { errcode?: number };
  if (errcode === undefined) return refusalOfSystem(error);
  const code = errcode & 0xff; // https://sqlite.org/rescode.html
  switch (code) {
    case 5: // SQLITE_BUSY
    case 6: // SQLITE_LOCKED
      return storeFault(
        'holds a database that is in use by another process: stop it, choose another DATA_DIR, or set DATABASE_URL to run replicas',
        error,
      );
    case 8: // SQLITE_READONLY
      return storeFault('holds a database that is read-only', error);
    case 10: // SQLITE_IOERR
      return storeFault(`is on a disk that cannot be read or written (SQLite error ${errcode})`, error);
    case 13: // SQLITE_FULL
      return storeFault('is on a disk that is full', error);
    case 11: // SQLITE_CORRUPT
    case 26: // SQLITE_NOTADB
      return storeFault('holds a database that is damaged: restore it from a backup', error);
    default:
      return storeFault(`holds a database that cannot be opened (SQLite error ${code})`, error);
  }
}

/** Codes of system calls on files: a folder or disk is at fault. */
const FILE_FAULT =
  /^(EACCES|EPERM|EROFS|ENOSPC|EDQUOT|ENOENT|ENOTDIR|EISDIR|EEXIST|ENAMETOOLONG|ELOOP|EIO|EBUSY|EFBIG)$/;

/** A system call on a file that fails names its code. Anything else comes from the thread: the folder is not at fault. */
function refusalOfSystem(error: unknown): ConfigError | UnavailableError {
  const { message, code = /^E[A-Z\d]+(?=:)/.exec(message)?.[0] } = error as NodeJS.ErrnoException;
  if (code !== undefined && FILE_FAULT.test(code)) return storeFault(`cannot be written to (${code})`, error);
  const reason = code === undefined ? String(error) : `${code}: ${message}`;
  return new UnavailableError(
    [`DATA_DIR cannot be opened, because the thread of the embedded database did not start (${reason})`],
    error,
  );
}

/**
 * Makes a folder, and those above it that are missing. Not by `mkdir` with `recursive`: where nothing can be made, as in
 * `/proc`, it tries for ever.
 */
function makeFolder(dataDir: string): void {
  try {
    makeMissing(resolve(dataDir));
    accessSync(dataDir, constants.W_OK);
  } catch (error) {
    throw refusalOf(error);
  }
}

function makeMissing(folder: string): void {
  if (existsSync(folder)) return;
  makeMissing(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

/** @throws ConfigError with the code of the system call that fails */
function accessible<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw storeFault(`holds a database that cannot be read (${code})`, error);
  }
}

function readHeader(file: string): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, header, 0, HEADER_BYTES, 0);
  } finally {
    closeSync(descriptor);
  }
  return header;
}

function checkMaker(id: number, maker: StoreMaker): void {
  const other = maker === 'service' ? 'playground' : 'service';
  if (id === APPLICATION_IDS[maker] || (id === 0 && maker === 'service')) return;
  if (id !== APPLICATION_IDS[other] && id !== 0) throw storeFault('holds the database of another program');
  throw storeFault(
    maker === 'service'
      ? 'holds a database that the playground made, with demo members: choose another DATA_DIR'
      : 'holds a database that the playground did not make: choose another DATA_DIR',
  );
}

function checkWritable(file: string): void {
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
  } catch (error) {
    throw storeFault('holds a database that is read-only', error);
  }
}

function checkContent(file: string, bytes: number): void {
  let connection: DatabaseSync | undefined;
  try {
    connection = openForReading(file);
    if (bytes <= CHECKED_BYTES_MAX) checkPages(connection);
    checkVersion(connection);
  } catch (error) {
    throw error instanceof ConfigError ? error : refusalOf(error);
  } finally {
    connection?.close();
  }
}

/** A file without a write-ahead log is not open anywhere: opened as immutable, it gets no files beside it. */
function openForReading(file: string): DatabaseSync {
  const url = pathToFileURL(file);
  if (!existsSync(`${file}-wal`)) url.searchParams.set('immutable', '1');
  return new DatabaseSync(url, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
}

/** Reads every page (https://sqlite.org/pragma.html#pragma_quick_check). */
function checkPages(connection: DatabaseSync): void {
  const [first] = connection.prepare('PRAGMA quick_check(1)').all();
  if (first?.['quick_check'] !== 'ok') {
    throw storeFault('holds a database that is damaged: restore it from a backup');
  }
}

function checkVersion(connection: DatabaseSync): void {
  const applied = columnOf(connection, 'migrations', 'name') as string[];
  const [oldestFormat] = columnOf(connection, 'store_format', 'oldest_format') as number[];
  const fault = versionFault({ applied, oldestFormat });
  if (fault !== undefined) throw storeFault(fault);
}

/** The values of a column, none where there is no such table. */
function columnOf(connection: DatabaseSync, table: string, column: string): unknown[] {
  const known = connection.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table);
  if (!known) return [];
  return connection
    .prepare(`SELECT ${column} AS value FROM ${table}`)
    .all()
    .map(({ value }) => value);
}
