import type { Migration } from '../migration.js';

const BOTH = `
  ALTER TABLE events ADD COLUMN trust TEXT NOT NULL DEFAULT 'signed';
  ALTER TABLE events ADD COLUMN event_id TEXT;
  UPDATE events SET trust = 'reconciled' WHERE received = 0;
  CREATE INDEX events_unsigned ON events (event_id) WHERE event_id IS NOT NULL;
`;

/**
 * Why the content of an event is trusted: `signed`, `reconciled`, `unsigned`, or no longer (`superseded`: an unsigned
 * one that a signed or reconciled one replaced). The `id` of an unsigned event is derived from its subscription and the
 * upstream's id, which `event_id` holds; for the others `id` is the upstream's.
 */
export const migration0030: Migration = {
  name: '0030-event-trust',
  oldestFormat: 1,
  sqlite: BOTH,
  postgres: BOTH,
};
