import type { Migration } from '../migration.js';

const columns = (integer: string): string => `
  ALTER TABLE events ADD COLUMN retry_at ${integer};
  ALTER TABLE events ADD COLUMN schedule_start INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE events ADD COLUMN recoveries INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE events ADD COLUMN webhook_id TEXT;
`;

/**
 * Events that wait for their next attempt, and redeliveries as new. `retry_at` equals `due_at` while an event that failed
 * waits, and not while it is leased. `schedule_start` is how many attempts it had when its schedule last started over, and
 * `recoveries` how often that was because a target recovered. `webhook_id` is the id of its deliveries where that is not
 * `id`. `repeated` is 2 for a redelivery that an operator asked for.
 */
export const migration0070: Migration = {
  name: '0070-event-recovery',
  oldestFormat: 1,
  sqlite: columns('INTEGER'),
  postgres: columns('BIGINT'),
};
