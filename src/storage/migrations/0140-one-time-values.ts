import type { Migration } from '../migration.js';

const TABLE = (text: string): string => `
  CREATE TABLE one_time_values (
    key ${text} PRIMARY KEY,
    value TEXT NOT NULL,
    expires_at BIGINT NOT NULL
  );
  CREATE INDEX one_time_values_by_expiry ON one_time_values (expires_at);
`;

/** What can be taken once, such as links. */
export const migration0140: Migration = {
  name: '0140-one-time-values',
  oldestFormat: 1,
  sqlite: TABLE('TEXT'),
  postgres: TABLE('TEXT COLLATE "C"'),
};
