import type { Dialect } from '../dialect.js';

/** SQL of PostgreSQL. Columns `sequence` are identities. */
export const POSTGRES_DIALECT: Dialect = {
  name: 'postgres',
  skipLocked: 'FOR UPDATE SKIP LOCKED',
  byBytes: 'COLLATE "C"',
  nextSequence: () => 'DEFAULT',
  inBlocks: () => undefined,
  fromHex: (expression) => `decode(${expression}, 'hex')`,
};
