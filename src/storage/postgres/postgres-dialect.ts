import type { Dialect } from '../dialect.js';

/** SQL of PostgreSQL. Columns `sequence` are identities. */
export const POSTGRES_DIALECT: Dialect = {
  name: 'postgres',
  skipLocked: 'FOR UPDATE SKIP LOCKED',
  nextSequence: () => 'DEFAULT',
  inBlocks: () => undefined,
  rows: (parameter) => `jsonb_array_elements(CAST(${parameter} AS JSONB)) AS parameter_rows (value)`,
  isAmong: (column, select) => `${column} = ANY (ARRAY(${select}))`,
};
