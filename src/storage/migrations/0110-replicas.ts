import type { Migration } from '../migration.js';

const TABLE = `
  CREATE TABLE replicas (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL,
    state TEXT NOT NULL,
    figures TEXT
  );
`;

/** The replicas that run, each with what it did in the last half minute: what dashboards show of one another. */
export const migration0110: Migration = {
  name: '0110-replicas',
  oldestFormat: 1,
  sqlite: TABLE,
  postgres: TABLE,
};
