import type { Migration } from '../migration.js';

/** The users of each hirer. `roles` are words separated by spaces. */
export const migration0001: Migration = {
  name: '0001-memberships',
  oldestFormat: 1,
  sqlite: `
    CREATE TABLE memberships (
      issuer TEXT NOT NULL,
      subject TEXT NOT NULL,
      hirer_id TEXT NOT NULL,
      roles TEXT NOT NULL,
      updated_at INTEGER NOT NULL,
      PRIMARY KEY (issuer, subject, hirer_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX memberships_by_hirer ON memberships (hirer_id);
  `,
  postgres: `
    CREATE TABLE memberships (
      issuer TEXT COLLATE "C" NOT NULL,
      subject TEXT COLLATE "C" NOT NULL,
      hirer_id TEXT COLLATE "C" NOT NULL,
      roles TEXT NOT NULL,
      updated_at BIGINT NOT NULL,
      PRIMARY KEY (issuer, subject, hirer_id)
    );
    CREATE INDEX memberships_by_hirer ON memberships (hirer_id);
  `,
};
