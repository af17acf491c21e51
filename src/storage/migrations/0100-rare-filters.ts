import type { Migration } from '../migration.js';

const BOTH = `
  CREATE INDEX audit_by_outcome ON audit (outcome, sequence) WHERE outcome NOT IN ('ok', 'issued');
  CREATE INDEX audit_by_action ON audit (action, sequence) WHERE action NOT IN ('token', 'graphql');
  CREATE INDEX events_by_type ON events (type, sequence);
`;

/**
 * Finds what is rare among millions of rows. Nearly every audit record has one of two outcomes and two actions, of which
 * a page is found without an index: only the others are indexed.
 */
export const migration0100: Migration = {
  name: '0100-rare-filters',
  oldestFormat: 1,
  sqlite: BOTH,
  postgres: BOTH,
};
