import type { Migration } from '../migration.js';

const tables = (integer: string, text: string, strict: string): string => `
  CREATE TABLE event_sinks (
    name ${text} PRIMARY KEY,
    cursor ${integer} NOT NULL,
    seen_at ${integer} NOT NULL
  ) ${strict};
  CREATE TABLE event_deliveries (
    sink ${text} NOT NULL,
    sequence ${integer} NOT NULL,
    event_key ${text} NOT NULL,
    hirer_id ${text},
    type ${text} NOT NULL,
    trust TEXT NOT NULL,
    received_at ${integer} NOT NULL,
    state ${text} NOT NULL,
    repeated INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    schedule_start INTEGER NOT NULL DEFAULT 0,
    recoveries INTEGER NOT NULL DEFAULT 0,
    done TEXT NOT NULL DEFAULT '',
    last_failure TEXT,
    webhook_id TEXT,
    redelivery TEXT,
    due_at ${integer},
    retry_at ${integer},
    lease ${integer} NOT NULL DEFAULT 0,
    PRIMARY KEY (event_key, sink)
  ) ${strict};
  CREATE UNIQUE INDEX event_deliveries_by_sequence ON event_deliveries (sink, sequence);
  CREATE INDEX event_deliveries_due ON event_deliveries (sink, due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX event_deliveries_by_state ON event_deliveries (sink, state, sequence);
  CREATE INDEX event_deliveries_redelivered ON event_deliveries (redelivery) WHERE redelivery IS NOT NULL;
`;

/**
 * Sinks besides the default one, whose deliveries stay in `events`. `cursor` is the last `events.sequence` that was queued
 * for the sink, so that events which an older version stores reach it too; `seen_at` is when a replica last had it in its
 * settings. A row of `event_deliveries` is an event (`event_key` is its `events.id`) in the queue of a sink; its columns
 * mean what they mean in `events`, and `sequence` is that of the event when it was queued.
 */
export const migration0080: Migration = {
  name: '0080-event-deliveries',
  oldestFormat: 1,
  sqlite: tables('INTEGER', 'TEXT', 'STRICT'),
  postgres: tables('BIGINT', 'TEXT COLLATE "C"', ''),
};
