import type { Migration } from '../migration.js';

/**
 * Events of the upstream, the hirers whose relationship changed, and how far reconciliation got. A row of `events` is
 * the record of an event and its place in the delivery queue: `due_at` is when it may next be leased, and while it is
 * leased, when the lease expires; `lease` counts the leases. `sequence` follows the order of commits.
 */
export const migration0010: Migration = {
  name: '0010-events',
  oldestFormat: 1,
  sqlite: `
    CREATE TABLE events (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      type TEXT NOT NULL,
      hirer_id TEXT,
      subscription_id TEXT,
      request_id TEXT,
      create_date_time TEXT,
      received_at INTEGER NOT NULL,
      last_received_at INTEGER NOT NULL,
      received INTEGER NOT NULL,
      payload TEXT,
      state TEXT NOT NULL,
      repeated INTEGER NOT NULL DEFAULT 0,
      attempts INTEGER NOT NULL DEFAULT 0,
      done TEXT NOT NULL DEFAULT '',
      last_failure TEXT,
      due_at INTEGER,
      lease INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX events_due ON events (due_at) WHERE due_at IS NOT NULL;
    CREATE INDEX events_by_hirer ON events (hirer_id, sequence);
    CREATE INDEX events_by_state ON events (state, sequence);
    CREATE INDEX events_with_payload ON events (received_at) WHERE payload IS NOT NULL;
    CREATE TABLE relationship_changes (
      hirer_id TEXT PRIMARY KEY,
      event_id TEXT NOT NULL,
      changed_at INTEGER NOT NULL,
      changes INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE event_cursors (
      scheme_id TEXT PRIMARY KEY,
      cursor TEXT,
      since INTEGER,
      due_at INTEGER NOT NULL DEFAULT 0,
      leased_until INTEGER NOT NULL DEFAULT 0,
      lease INTEGER NOT NULL DEFAULT 0,
      completed_at INTEGER
    ) STRICT, WITHOUT ROWID;
  `,
  postgres: `
    CREATE TABLE events (
      sequence BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id TEXT COLLATE "C" NOT NULL UNIQUE,
      type TEXT COLLATE "C" NOT NULL,
      hirer_id TEXT COLLATE "C",
      subscription_id TEXT,
      request_id TEXT,
      create_date_time TEXT,
      received_at BIGINT NOT NULL,
      last_received_at BIGINT NOT NULL,
      received INTEGER NOT NULL,
      payload TEXT,
      state TEXT COLLATE "C" NOT NULL,
      repeated INTEGER NOT NULL DEFAULT 0,
      attempts INTEGER NOT NULL DEFAULT 0,
      done TEXT NOT NULL DEFAULT '',
      last_failure TEXT,
      due_at BIGINT,
      lease BIGINT NOT NULL DEFAULT 0
    );
    CREATE INDEX events_due ON events (due_at) WHERE due_at IS NOT NULL;
    CREATE INDEX events_by_hirer ON events (hirer_id, sequence);
    CREATE INDEX events_by_state ON events (state, sequence);
    CREATE INDEX events_with_payload ON events (received_at) WHERE payload IS NOT NULL;
    CREATE TABLE relationship_changes (
      hirer_id TEXT COLLATE "C" PRIMARY KEY,
      event_id TEXT NOT NULL,
      changed_at BIGINT NOT NULL,
      changes INTEGER NOT NULL
    );
    CREATE TABLE event_cursors (
      scheme_id TEXT COLLATE "C" PRIMARY KEY,
      cursor TEXT,
      since BIGINT,
      due_at BIGINT NOT NULL DEFAULT 0,
      leased_until BIGINT NOT NULL DEFAULT 0,
      lease BIGINT NOT NULL DEFAULT 0,
      completed_at BIGINT
    );
  `,
};
