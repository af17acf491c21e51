import type { Migration } from '../database.js';

/**
 * The tables of the first release. Times are epoch milliseconds. Indexes of events and audit records are those of the
 * lists' filters, and of what workers look for.
 */
export const baseline: Migration = {
  name: '0000-baseline',
  oldestFormat: 3, // versions from before it refuse the store as newer
  sqlite: tables({
    int: 'INTEGER',
    text: 'TEXT',
    number: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    strict: 'STRICT',
    // users and hirers are indexed within blocks of 1,024 records, so that a batch changes few pages (ADR 0014)
    audit: `CREATE INDEX audit_by_block_and_user ON audit (sequence >> 10, user_id);
      CREATE INDEX audit_by_block_and_hirer ON audit (sequence >> 10, hirer_id);`,
    events: '',
  }),
  postgres: tables({
    int: 'BIGINT',
    text: 'TEXT COLLATE "C"',
    number: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
    strict: '',
    audit: `CREATE INDEX audit_by_user ON audit (user_id, sequence);
      CREATE INDEX audit_by_hirer ON audit (hirer_id, sequence);`,
    events: 'CREATE INDEX events_by_hirer_and_time ON events (hirer_id, received_at);',
  }),
};

interface Words {
  readonly int: string;
  readonly text: string;
  /** The order of inserts, of which no number is given out twice. */
  readonly number: string;
  readonly strict: string;
  readonly audit: string;
  readonly events: string;
}

// eslint-disable-next-line max-lines-per-function -- one text, read as a whole
function tables({ int, text, number, strict, audit, events }: Words): string {
  return `
    CREATE TABLE memberships (
      issuer ${text} NOT NULL,
      subject ${text} NOT NULL,
      hirer_id ${text} NOT NULL,
      roles TEXT NOT NULL,
      updated_at ${int} NOT NULL,
      PRIMARY KEY (issuer, subject, hirer_id)
    ) ${strict};
    CREATE INDEX memberships_by_hirer ON memberships (hirer_id);

    CREATE TABLE audit (
      sequence ${number},
      time ${int} NOT NULL,
      action TEXT NOT NULL,
      outcome TEXT NOT NULL,
      user_id ${text},
      hirer_id ${text},
      request_id TEXT,
      record TEXT NOT NULL
    ) ${strict};
    CREATE INDEX audit_by_time ON audit (time);
    CREATE INDEX audit_by_request ON audit (request_id);
    CREATE INDEX audit_by_outcome ON audit (outcome, sequence) WHERE outcome NOT IN ('ok', 'issued');
    CREATE INDEX audit_by_action ON audit (action, sequence) WHERE action NOT IN ('token', 'graphql');
    ${audit}

    CREATE TABLE events (
      sequence ${number},
      first_sequence ${int},
      id ${text} NOT NULL UNIQUE,
      event_id TEXT,
      trust TEXT NOT NULL,
      type ${text} NOT NULL,
      hirer_id ${text},
      subscription_id TEXT,
      request_id TEXT,
      create_date_time TEXT,
      received_at ${int} NOT NULL,
      last_received_at ${int} NOT NULL,
      received INTEGER NOT NULL,
      payload TEXT,
      state ${text} NOT NULL,
      repeated INTEGER NOT NULL DEFAULT 0,
      attempts INTEGER NOT NULL DEFAULT 0,
      schedule_start INTEGER NOT NULL DEFAULT 0,
      recoveries INTEGER NOT NULL DEFAULT 0,
      done TEXT NOT NULL DEFAULT '',
      last_failure TEXT,
      webhook_id TEXT,
      redelivery TEXT,
      history TEXT,
      due_at ${int},
      retry_at ${int},
      lease ${int} NOT NULL DEFAULT 0
    ) ${strict};
    CREATE INDEX events_due ON events (due_at) WHERE due_at IS NOT NULL;
    CREATE INDEX events_by_hirer ON events (hirer_id, sequence);
    CREATE INDEX events_by_state ON events (state, sequence);
    CREATE INDEX events_by_type ON events (type, sequence);
    CREATE INDEX events_with_payload ON events (received_at) WHERE payload IS NOT NULL;
    CREATE INDEX events_without_payload ON events (received_at) WHERE payload IS NULL;
    CREATE INDEX events_of_shared_ids ON events (event_id) WHERE event_id IS NOT NULL;
    CREATE INDEX events_redelivered ON events (redelivery, state) WHERE redelivery IS NOT NULL;
    ${events}

    CREATE TABLE event_sinks (
      name ${text} PRIMARY KEY,
      cursor ${int} NOT NULL,
      seen_at ${int} NOT NULL
    ) ${strict};
    CREATE TABLE event_deliveries (
      sink ${text} NOT NULL,
      sequence ${int} NOT NULL,
      event_key ${text} NOT NULL,
      hirer_id ${text},
      type ${text} NOT NULL,
      trust TEXT NOT NULL,
      received_at ${int} NOT NULL,
      state ${text} NOT NULL,
      repeated INTEGER NOT NULL DEFAULT 0,
      attempts INTEGER NOT NULL DEFAULT 0,
      schedule_start INTEGER NOT NULL DEFAULT 0,
      recoveries INTEGER NOT NULL DEFAULT 0,
      done TEXT NOT NULL DEFAULT '',
      last_failure TEXT,
      webhook_id TEXT,
      redelivery TEXT,
      history TEXT,
      due_at ${int},
      retry_at ${int},
      lease ${int} NOT NULL DEFAULT 0,
      PRIMARY KEY (event_key, sink)
    ) ${strict};
    CREATE UNIQUE INDEX event_deliveries_by_sequence ON event_deliveries (sink, sequence);
    CREATE INDEX event_deliveries_due ON event_deliveries (sink, due_at) WHERE due_at IS NOT NULL;
    CREATE INDEX event_deliveries_by_state ON event_deliveries (sink, state, sequence);
    CREATE INDEX event_deliveries_redelivered ON event_deliveries (redelivery) WHERE redelivery IS NOT NULL;

    CREATE TABLE event_redeliveries (
      id TEXT PRIMARY KEY,
      running INTEGER UNIQUE,
      filter TEXT NOT NULL,
      actor TEXT,
      started_at ${int} NOT NULL,
      ended_at ${int},
      cancelled INTEGER NOT NULL DEFAULT 0,
      total INTEGER NOT NULL,
      queued INTEGER NOT NULL DEFAULT 0,
      cursor ${int} NOT NULL DEFAULT 0,
      last_sequence ${int} NOT NULL,
      leased_until ${int} NOT NULL DEFAULT 0,
      lease ${int} NOT NULL DEFAULT 0
    ) ${strict};
    CREATE INDEX event_redeliveries_by_time ON event_redeliveries (started_at);

    CREATE TABLE relationship_changes (
      hirer_id ${text} PRIMARY KEY,
      event_id TEXT NOT NULL,
      changed_at ${int} NOT NULL,
      changes INTEGER NOT NULL
    ) ${strict};
    CREATE TABLE event_cursors (
      scheme_id ${text} PRIMARY KEY,
      cursor TEXT,
      since ${int},
      thin_since ${int},
      due_at ${int} NOT NULL DEFAULT 0,
      leased_until ${int} NOT NULL DEFAULT 0,
      lease ${int} NOT NULL DEFAULT 0,
      completed_at ${int}
    ) ${strict};
    CREATE TABLE one_time_values (
      key ${text} PRIMARY KEY,
      value TEXT NOT NULL,
      expires_at ${int} NOT NULL
    ) ${strict};
    CREATE INDEX one_time_values_by_expiry ON one_time_values (expires_at);
  `;
}
