import type { Dialect } from '../dialect.js';

/** SQL of SQLite, where transactions run one at a time: there is no lock to pass over, and no number is given out twice. */
export const SQLITE_DIALECT: Dialect = {
  name: 'sqlite',
  skipLocked: '',
  nextSequence: (table) => `(SELECT MAX(sequence) + 1 FROM ${table})`,
  /** Written like the indexed expression, or SQLite would not use the index. */
  inBlocks: (column, bits) => `(${column} >> ${bits}) IN (SELECT value FROM json_each(?))`,
  rows: (parameter) => `jsonb_each(${parameter})`, // with json_each, each text of a row parses the row again
  isAmong: (column, select) => `${column} IN (${select})`,
};
