import type { Migration } from '../migration.js';

const COLUMNS = `
  ALTER TABLE events ADD COLUMN history TEXT;
  ALTER TABLE event_deliveries ADD COLUMN history TEXT;
`;

/** The latest attempts to deliver an event, as JSON (`DeliveryAttempt`): written with their result, in its statement. */
export const migration0090: Migration = {
  name: '0090-delivery-history',
  oldestFormat: 1,
  sqlite: COLUMNS,
  postgres: COLUMNS,
};
