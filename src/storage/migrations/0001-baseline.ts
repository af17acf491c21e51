import type { Migration } from '../database.js';

/**
 * The tables of the first release. Times are epoch milliseconds.
 *
 * `events` is the record of events. `sequence` follows the order of commits; an event that a copy completes moves to its
 * end, and `first_sequence` is where streams could first have sent it. `stored_at` is when it got its place. `shared_id` is
 * the id that it came with, where another hirer's event has that. `queued` is 0 for an event that no sink was to get.
 *
 * A row of `deliveries` is an event in the queue of a sink. `due_at` is when it may next be claimed, and while it is claimed
 * (`claimed_at`), when the lease ends; `lease` counts the claims, and reports under an older one change nothing.
 * `failures` are the failed attempts of the present schedule, and `recoveries` how often that started over.
 */
export const baseline: Migration = {
  name: '0001-baseline',
  oldestFormat: 3, // versions from before it refuse the store as newer
  sql: `
    CREATE TABLE memberships (
      issuer :text NOT NULL,
      subject :text NOT NULL,
      hirer_id :text NOT NULL,
      roles TEXT NOT NULL,
      updated_at :int NOT NULL,
      PRIMARY KEY (issuer, subject, hirer_id)
    ) :strict;
    CREATE INDEX memberships_by_hirer ON memberships (hirer_id);

    CREATE TABLE audit (
      sequence :number,
      time :int NOT NULL,
      action TEXT NOT NULL,
      outcome TEXT NOT NULL,
      user_id :text,
      hirer_id :text,
      request_id TEXT NOT NULL,
      record TEXT NOT NULL
    ) :strict;
    CREATE INDEX audit_by_time ON audit (time, sequence);
    CREATE INDEX audit_by_request ON audit (request_id);
    CREATE INDEX audit_by_user ON audit (user_id, time, sequence);
    CREATE INDEX audit_by_hirer ON audit (hirer_id, time, sequence);
    CREATE INDEX audit_by_outcome ON audit (outcome, time, sequence);
    CREATE INDEX audit_by_action ON audit (action, time, sequence);

    CREATE TABLE events (
      sequence :int PRIMARY KEY,
      first_sequence :int,
      id :text NOT NULL UNIQUE,
      shared_id :text,
      trust TEXT NOT NULL,
      type :text NOT NULL,
      hirer_id :text,
      subscription_id TEXT,
      request_id TEXT,
      create_date_time TEXT,
      payload TEXT,
      copies INTEGER NOT NULL,
      queued INTEGER NOT NULL,
      received_at :int NOT NULL,
      last_received_at :int NOT NULL,
      stored_at :int NOT NULL
    ) :strict;
    CREATE INDEX events_by_hirer ON events (hirer_id, sequence);
    CREATE INDEX events_by_type ON events (type, sequence);
    CREATE INDEX events_by_time ON events (stored_at, sequence);
    CREATE INDEX events_with_payload ON events (stored_at) WHERE payload IS NOT NULL;
    CREATE INDEX events_not_queued ON events (sequence) WHERE queued = 0;
    CREATE INDEX events_of_shared_ids ON events (shared_id) WHERE shared_id IS NOT NULL;

    CREATE TABLE deliveries (
      event :int NOT NULL REFERENCES events (sequence) ON UPDATE CASCADE ON DELETE CASCADE
        DEFERRABLE INITIALLY DEFERRED,
      sink :text NOT NULL,
      state :text NOT NULL,
      reason TEXT NOT NULL,
      webhook_id TEXT,
      queued_at :int NOT NULL,
      due_at :int,
      claimed_at :int,
      lease :int NOT NULL,
      attempts INTEGER NOT NULL,
      failures INTEGER NOT NULL,
      recoveries INTEGER NOT NULL,
      last_failure TEXT,
      history TEXT,
      PRIMARY KEY (event, sink)
    ) :rowless;
    CREATE INDEX deliveries_due ON deliveries (sink, due_at, event) WHERE due_at IS NOT NULL;
    CREATE INDEX deliveries_by_state ON deliveries (state, event, sink);

    CREATE TABLE event_cursors (
      scheme_id :text PRIMARY KEY,
      cursor TEXT,
      since :int,
      due_at :int NOT NULL DEFAULT 0,
      leased_until :int NOT NULL DEFAULT 0,
      lease :int NOT NULL DEFAULT 0,
      completed_at :int
    ) :strict;
    CREATE TABLE one_time_values (
      key :text PRIMARY KEY,
      value TEXT NOT NULL,
      expires_at :int NOT NULL
    ) :strict;
    CREATE INDEX one_time_values_by_expiry ON one_time_values (expires_at);
  `,
};
