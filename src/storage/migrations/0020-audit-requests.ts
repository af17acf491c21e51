import type { Migration } from '../migration.js';

const BOTH = `
  ALTER TABLE audit ADD COLUMN request_id TEXT;
  CREATE INDEX audit_by_request ON audit (request_id);
`;

/** Finds the audit record of a request by its id. */
export const migration0020: Migration = {
  name: '0020-audit-requests',
  oldestFormat: 1,
  sqlite: BOTH,
  postgres: BOTH,
};
