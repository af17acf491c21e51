import type { Migration } from '../migration.js';

/**
 * Finds the events of a hirer by the time of their receipt, which is not the order of `sequence`: that moves. Not on
 * SQLite, where one index more costs a webhook of ten events a quarter; there, all events of the hirer are looked at.
 */
export const migration0130: Migration = {
  name: '0130-hirers-by-time',
  oldestFormat: 1,
  sqlite: '',
  postgres: 'CREATE INDEX events_by_hirer_and_time ON events (hirer_id, received_at);',
};
