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
import { DAMAGED, NO_DATABASE, refusalOf, storeFault } from './sqlite-fault.js';

/** Which mode created an embedded store: the service with a real upstream, or the playground. */
export type StoreMaker = 'service' | 'playground';

/** The creator of a file, in its header (https://sqlite.org/fileformat.html, "Application ID"). */
export const APPLICATION_IDS: Readonly<Record<StoreMaker, number>> = {
  service: 0x42464653,
  playground: 0x42464650,
};

/** The header of a file, and what stands in it. */
const HEADER_BYTES = 100;
const SIGNATURE = Buffer.from('SQLite format 3\0');
const APPLICATION_ID_AT = 68;
/** The pages of a larger file are not checked at start. */
const CHECKED_BYTES_MAX = 536_870_912;
const BUSY_TIMEOUT_MS = 5_000;

/** The file of the embedded database. */
export function storeFile(dataDir: string): string {
  return join(dataDir, 'bff.sqlite');
}

/**
 * Verifies that the embedded database can be used in this mode, before anything is written to it.
 * @param makesFolder false to leave a folder that is missing as it is, too
 * @returns false where the database is yet to be made
 * @throws ConfigError when the store was created in the other mode or by another program, or is in use, read-only or
 *   damaged; the file is left unchanged
 */
export function checkStore(dataDir: string, maker: StoreMaker, makesFolder = true): boolean {
  if (dataDir === ':memory:') return false;
  try {
    checkFolder(resolve(dataDir), makesFolder);
    const file = storeFile(dataDir);
    const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (bytes === 0) return false;
    checkAccess(file, constants.R_OK, 'cannot be read');
    checkMaker(readHeader(file), maker);
    checkAccess(file, constants.W_OK, 'is read-only');
    if (bytes <= CHECKED_BYTES_MAX) checkPages(file);
    return true;
  } catch (error) {
    throw error instanceof ConfigError ? error : refusalOf(error);
  }
}

/** Not by `mkdir` with `recursive`: where nothing can be made, as in `/proc`, it never returns. */
function checkFolder(folder: string, makes: boolean): void {
  if (existsSync(folder)) return accessSync(join(folder, '/'), constants.W_OK); // no file in its place, either
  checkFolder(dirname(folder), makes);
  if (makes) mkdirSync(folder, { mode: 0o700 });
}

/**
 * Not by SQLite: without the write-ahead log, it takes a file for damaged if the process was killed while that log was
 * being written back.
 */
function readHeader(file: string): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, header);
    return header;
  } finally {
    closeSync(descriptor);
  }
}

/** The mark never stands in the write-ahead log alone. */
function checkMaker(header: Buffer, maker: StoreMaker): void {
  if (!header.subarray(0, SIGNATURE.length).equals(SIGNATURE)) throw storeFault(NO_DATABASE);
  const id = header.readUInt32BE(APPLICATION_ID_AT);
  if (id === APPLICATION_IDS[maker]) return;
  const isOurs = Object.values(APPLICATION_IDS).includes(id);
  if (!isOurs) throw storeFault('holds the database of another program');
  throw storeFault(
    maker === 'service'
      ? 'holds a database that the playground made, with demo members: choose another DATA_DIR'
      : 'holds a database that the playground did not make: choose another DATA_DIR',
  );
}

function checkAccess(file: string, mode: number, fault: string): void {
  try {
    accessSync(file, mode);
  } catch (error) {
    throw storeFault(`holds a database that ${fault}`, error);
  }
}

/**
 * Reads every page (https://sqlite.org/pragma.html#pragma_quick_check); without locks or new files beside it where it has
 * no write-ahead log, since it is not open anywhere then.
 */
function checkPages(file: string): void {
  const url = pathToFileURL(file);
  if (!existsSync(`${file}-wal`)) url.searchParams.set('immutable', '1');
  const connection = new DatabaseSync(url, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    const check = connection.prepare('PRAGMA quick_check(1)').get();
    if (check?.['quick_check'] !== 'ok') throw storeFault(DAMAGED);
  } finally {
    connection.close();
  }
}
