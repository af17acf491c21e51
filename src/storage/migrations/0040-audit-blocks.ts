import type { Migration } from '../migration.js';

/**
 * `record` no longer repeats what has a column; older rows still do. The embedded database indexes users and hirers
 * within blocks of 1,024 records, so that a batch of records changes a few pages at the end of each index rather than
 * one page a record (ADR 0014); a page of a user's records is found block by block.
 */
export const migration0040: Migration = {
  name: '0040-audit-blocks',
  oldestFormat: 1,
  sqlite: `
    DROP INDEX audit_by_user;
    DROP INDEX audit_by_hirer;
    CREATE INDEX audit_by_block_and_user ON audit (sequence >> 10, user_id);
    CREATE INDEX audit_by_block_and_hirer ON audit (sequence >> 10, hirer_id);
  `,
  postgres: '',
};
