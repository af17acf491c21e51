import { ConfigError } from '../../config/load-config.js';
import { StoreError } from '../../errors/store-error.js';
import { errorOf, refusalOf } from './sqlite-fault.js';

test.each([
  ['FULL', 13],
  ['IOERR_WRITE', 778],
  ['READONLY_DBMOVED', 1_032],
  ['BUSY_SNAPSHOT', 517],
  ['CORRUPT_INDEX', 779],
])('%s is a fault of the store', (message, errcode) => {
  expect(errorOf({ message, errcode })).toMatchObject({ store: 'database', message, cause: { errcode } });
});

test.each([
  ['ERROR', 1],
  ['CONSTRAINT_UNIQUE', 2_067],
  ['RANGE', 25],
  ['of no code', undefined],
])('%s is a mistake of ours', (message, errcode) => {
  const error = errorOf({ message, errcode });
  expect(error).not.toBeInstanceOf(StoreError);
  expect(error).toMatchObject({ message, errcode });
});

test.each([
  [5, 'in use by another process'],
  [8, 'read-only'],
  [776, 'read-only'], // SQLITE_READONLY_ROLLBACK: an extended code tells its kind in the low byte
  [11, 'damaged'],
  [26, 'not a database'],
  [13, 'is on a disk that is full'],
  [778, 'is on a disk that cannot be read or written (SQLite error 778)'], // SQLITE_IOERR_WRITE
  [14, 'cannot be opened (SQLite error 14)'],
])('SQLite result code %i is reported as "%s", by the name of the setting', (errcode, reason) => {
  const { message } = refusalOf(Object.assign(new Error('/a/path'), { errcode }));
  expect(message).toContain('DATA_DIR');
  expect(message).toContain(reason);
  expect(message).not.toContain('/a/path');
});

test.each(['EACCES', 'ENOSPC', 'EROFS', 'ENOTDIR', 'ENAMETOOLONG'])(
  'a file that cannot be made is reported by the name of the setting and the code %s, without its path',
  (code) => {
    const error = new Error(`${code}: that is how it is, open '/a/path'`);
    for (const one of [error, Object.assign(new Error(error.message), { code })]) {
      expect(refusalOf(one)).toBeInstanceOf(ConfigError);
      expect(refusalOf(one).message).toContain(`DATA_DIR cannot be written to (${code})`);
      expect(refusalOf(one).message).not.toContain('/a/path');
    }
  },
);

test.each(['EAGAIN', 'EMFILE', 'ENOMEM', 'EADDRINUSE', 'ERR_WORKER_INIT_FAILED'])(
  'a thread that ends with %s is not blamed on the folder',
  (code) => {
    const { message } = refusalOf(Object.assign(new Error('not now'), { code }));
    expect(message).toContain(`the thread of the embedded database did not start (${code}: not now)`);
  },
);
