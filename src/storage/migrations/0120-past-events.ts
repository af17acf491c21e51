import type { Migration } from '../migration.js';

const tables = (bytes: string, strict: string): string => `
  CREATE TABLE past_events (
    digest ${bytes} PRIMARY KEY
  ) ${strict};
  CREATE INDEX events_without_payload ON events (received_at) WHERE payload IS NULL;
`;

/**
 * Events whose records were deleted: of each, 16 bytes of the SHA-256 of its `events.id`, so that it is never new again.
 * A version that does not know the table can use the store until the first record is deleted, which raises its format.
 */
export const migration0120: Migration = {
  name: '0120-past-events',
  oldestFormat: 1,
  sqlite: tables('BLOB', 'STRICT, WITHOUT ROWID'),
  postgres: tables('BYTEA', ''),
};
