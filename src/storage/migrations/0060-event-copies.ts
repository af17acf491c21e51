import type { Migration } from '../migration.js';

const THIN = `
  UPDATE event_cursors SET thin_since = 0
    WHERE EXISTS (SELECT 1 FROM events WHERE trust = 'reconciled' AND hirer_id IS NULL)
`;

/**
 * An event that a fuller copy completes moves to the end of `sequence`, so that streams and replicas see it;
 * `first_sequence` is where streams could first have sent it. `thin_since` is when the oldest event was created that
 * reconciliation could read only without content; null when there is none.
 */
export const migration0060: Migration = {
  name: '0060-event-copies',
  oldestFormat: 1,
  sqlite: `
    ALTER TABLE events ADD COLUMN first_sequence INTEGER;
    ALTER TABLE event_cursors ADD COLUMN thin_since INTEGER;
    ${THIN};
  `,
  postgres: `
    ALTER TABLE events ADD COLUMN first_sequence BIGINT;
    ALTER TABLE event_cursors ADD COLUMN thin_since BIGINT;
    ${THIN};
  `,
};
