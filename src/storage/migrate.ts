import { ConfigError } from '../config/load-config.js';
import type { Database } from './database.js';
import type { Migration } from './migration.js';
import { migration0001 } from './migrations/0001-memberships.js';
import { migration0002 } from './migrations/0002-audit.js';
import { migration0010 } from './migrations/0010-events.js';
import { migration0020 } from './migrations/0020-audit-requests.js';
import { migration0030 } from './migrations/0030-event-trust.js';
import { migration0040 } from './migrations/0040-audit-blocks.js';
import { migration0050 } from './migrations/0050-event-redeliveries.js';
import { migration0060 } from './migrations/0060-event-copies.js';

/** Every step, in order. */
const MIGRATIONS: readonly Migration[] = [
  migration0001,
  migration0002,
  migration0010,
  migration0020,
  migration0030,
  migration0040,
  migration0050,
  migration0060,
];

/** An arbitrary constant: replicas that start together take this lock in turn. */
const ADVISORY_LOCK = 7_301_942;

/** The applied steps that this version does not know, which a newer version added. */
export function unknownSteps(applied: Iterable<string>): string[] {
  const known = new Set(MIGRATIONS.map(({ name }) => name));
  return [...applied].filter((name) => !known.has(name));
}

/**
 * Brings the schema up to date. Safe to call from any number of replicas at once.
 * @throws ConfigError when a newer version of the service has migrated it; it is then left unchanged
 */
export async function migrate(database: Database): Promise<void> {
  const statementOf = (step: Migration): string => step[database.dialect];
  await database.transaction(async (tx) => {
    if (database.dialect === 'postgres') await tx.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCK]);
    await tx.query(
      'CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at BIGINT NOT NULL)',
    );
    const applied = new Set(
      (await tx.query<{ name: string }>('SELECT name FROM migrations')).map(({ name }) => name),
    );
    if (unknownSteps(applied).length > 0) {
      const setting = database.dialect === 'postgres' ? 'DATABASE_URL' : 'DATA_DIR';
      throw new ConfigError([`${setting} holds a database of a newer version of the service`]);
    }
    for (const step of MIGRATIONS.filter(({ name }) => !applied.has(name))) {
      for (const statement of statementOf(step).split(/;\s*$/m)) {
        if (statement.trim() !== '') await tx.query(statement);
      }
      await tx.query('INSERT INTO migrations (name, applied_at) VALUES ($1, $2)', [step.name, Date.now()]);
    }
  });
}
