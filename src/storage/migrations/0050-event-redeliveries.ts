import type { Migration } from '../migration.js';

/**
 * Redeliveries of many events. `sequence` up to `cursor` is queued, and `last_sequence` is where the redelivery ends.
 * `running` is 1 until it ends and null afterwards, so that there is one at a time. An event names the redelivery that
 * queued it last, so that its progress can be counted.
 */
export const migration0050: Migration = {
  name: '0050-event-redeliveries',
  oldestFormat: 1,
  sqlite: `
    CREATE TABLE event_redeliveries (
      id TEXT PRIMARY KEY,
      running INTEGER UNIQUE,
      filter TEXT NOT NULL,
      actor TEXT,
      started_at INTEGER NOT NULL,
      ended_at INTEGER,
      cancelled INTEGER NOT NULL DEFAULT 0,
      total INTEGER NOT NULL,
      queued INTEGER NOT NULL DEFAULT 0,
      cursor INTEGER NOT NULL DEFAULT 0,
      last_sequence INTEGER NOT NULL,
      leased_until INTEGER NOT NULL DEFAULT 0,
      lease INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX event_redeliveries_by_time ON event_redeliveries (started_at);
    ALTER TABLE events ADD COLUMN redelivery TEXT;
    CREATE INDEX events_redelivered ON events (redelivery, state) WHERE redelivery IS NOT NULL;
  `,
  postgres: `
    CREATE TABLE event_redeliveries (
      id TEXT PRIMARY KEY,
      running INTEGER UNIQUE,
      filter TEXT NOT NULL,
      actor TEXT,
      started_at BIGINT NOT NULL,
      ended_at BIGINT,
      cancelled INTEGER NOT NULL DEFAULT 0,
      total INTEGER NOT NULL,
      queued INTEGER NOT NULL DEFAULT 0,
      cursor BIGINT NOT NULL DEFAULT 0,
      last_sequence BIGINT NOT NULL,
      leased_until BIGINT NOT NULL DEFAULT 0,
      lease BIGINT NOT NULL DEFAULT 0
    );
    CREATE INDEX event_redeliveries_by_time ON event_redeliveries (started_at);
    ALTER TABLE events ADD COLUMN redelivery TEXT;
    CREATE INDEX events_redelivered ON events (redelivery, state) WHERE redelivery IS NOT NULL;
  `,
};
