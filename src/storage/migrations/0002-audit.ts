import type { Migration } from '../migration.js';

/** One row for each audited request or action; `sequence` is the order of paging. */
export const migration0002: Migration = {
  name: '0002-audit',
  oldestFormat: 1,
  sqlite: `
    CREATE TABLE audit (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      time INTEGER NOT NULL,
      action TEXT NOT NULL,
      outcome TEXT NOT NULL,
      user_id TEXT,
      hirer_id TEXT,
      record TEXT NOT NULL
    ) STRICT;
    CREATE INDEX audit_by_time ON audit (time);
    CREATE INDEX audit_by_user ON audit (user_id, sequence);
    CREATE INDEX audit_by_hirer ON audit (hirer_id, sequence);
  `,
  postgres: `
    CREATE TABLE audit (
      sequence BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      time BIGINT NOT NULL,
      action TEXT NOT NULL,
      outcome TEXT NOT NULL,
      user_id TEXT COLLATE "C",
      hirer_id TEXT COLLATE "C",
      record TEXT NOT NULL
    );
    CREATE INDEX audit_by_time ON audit (time);
    CREATE INDEX audit_by_user ON audit (user_id, sequence);
    CREATE INDEX audit_by_hirer ON audit (hirer_id, sequence);
  `,
};
