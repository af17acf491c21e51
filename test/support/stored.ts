import type { AuditRecord } from '../../src/audit/audit-record.js';
import type { Queryable, Row } from '../../src/storage/database.js';

/** What tests ask of the tables and do to them. Suites of the schema itself apart, no other file of tests names a table. */

/** What is kept of an event, whatever tables it stands in. */
interface StoredEvent {
  readonly id: string;
  readonly sequence: number;
  /** As it stands in the database; null once it was deleted. */
  readonly payload: string | null;
  /** How often it arrived. */
  readonly received: number;
  /** When it arrived last, in epoch milliseconds. */
  readonly lastReceivedAt: number;
  readonly state: string;
  /** When it is tried next, in epoch milliseconds; null if never. */
  readonly dueAt: number | null;
}

/** All events, in the order in which they were numbered, with what became of them at the default sink. */
export async function storedEvents(database: Queryable): Promise<StoredEvent[]> {
  return database.query<StoredEvent & Row>(
    `SELECT id, sequence, payload, copies AS received, last_received_at AS "lastReceivedAt",
       COALESCE(state, 'stored') AS state, due_at AS "dueAt"
     FROM events LEFT JOIN deliveries ON event = sequence AND sink = 'default' ORDER BY sequence`,
  );
}

export async function storedIds(database: Queryable): Promise<string[]> {
  return (await storedEvents(database)).map(({ id }) => id);
}

/** All that is stored of events and their deliveries, for a search. */
export async function allOfEvents(database: Queryable): Promise<string> {
  const tables = ['events', 'deliveries'];
  return JSON.stringify(await Promise.all(tables.map((table) => database.query(`SELECT * FROM ${table}`))));
}

/** Empties what webhooks, deliveries and reconciliation keep. */
export async function forgetEvents(database: Queryable): Promise<void> {
  for (const table of ['deliveries', 'events', 'event_cursors']) {
    await database.query(`DELETE FROM ${table}`);
  }
}

/** All events came after that many others. */
export async function moveEvents(database: Queryable, places: number): Promise<void> {
  await database.query(`UPDATE events SET sequence = sequence + ${places}`);
}

/**
 * Deletes the payloads of all events, or of some, as retention does with what nothing waits for any more.
 * @param ids a pattern of LIKE
 * @param isSettled whether nothing waits for them; else they are due as they were
 */
export async function takePayloads(database: Queryable, ids = '%', isSettled = false): Promise<void> {
  const ofThem = 'event IN (SELECT sequence FROM events WHERE id LIKE $1)';
  if (isSettled) await database.query(`DELETE FROM deliveries WHERE due_at IS NOT NULL AND ${ofThem}`, [ids]);
  await database.query('UPDATE events SET payload = NULL WHERE id LIKE $1', [ids]);
}

/** The place in the list of events where reconciliation stopped is one that the upstream does not know. */
export async function spoilCursor(database: Queryable): Promise<void> {
  await database.query(`UPDATE event_cursors SET cursor = 'forgotten'`);
}

/** All events arrived that much earlier. */
export async function ageEvents(database: Queryable, ms: number): Promise<void> {
  const times = ['received_at', 'last_received_at', 'stored_at'].map((time) => `${time} = ${time} - ${ms}`);
  await database.query(`UPDATE events SET ${times.join()}`);
  await database.query(`UPDATE deliveries SET queued_at = queued_at - ${ms}`);
}

/** All events have failed once, and are tried again at this time. */
export async function failEvents(database: Queryable, retryAt: number): Promise<void> {
  await database.query("UPDATE deliveries SET state = 'failed', attempts = 1, failures = 1, due_at = $1", [
    retryAt,
  ]);
}

/** An event waits for a sink. */
export async function makeWait(database: Queryable, id: string, sink = 'default'): Promise<void> {
  await database.query(
    `UPDATE deliveries SET due_at = 0 WHERE sink = $1 AND event = (SELECT sequence FROM events WHERE id = $2)`,
    [sink, id],
  );
}

/** The audit records as they were written, the oldest first. */
export async function storedAudit(database: Queryable): Promise<AuditRecord[]> {
  const rows = await database.query<Row & { record: string }>('SELECT * FROM audit ORDER BY sequence');
  return rows.map(({ record, ...columns }) => ({
    ...(JSON.parse(record) as AuditRecord),
    ...{ action: String(columns['action']), outcome: String(columns['outcome']) },
    ...{ user: columns['user_id'] ?? undefined, requestId: columns['request_id'] },
  })) as AuditRecord[];
}

/** Empties the audit trail. */
export async function forgetAudit(database: Queryable): Promise<void> {
  await database.query('DELETE FROM audit');
}

/** Every statement on audit records fails, until the promise's function is called. */
export async function breakAudit(database: Queryable): Promise<() => Promise<unknown>> {
  await database.query('ALTER TABLE audit RENAME TO lost');
  return () => database.query('ALTER TABLE lost RENAME TO audit');
}

/** Removes all memberships without a notice to any replica. */
export async function forgetMemberships(database: Queryable): Promise<void> {
  await database.query('DELETE FROM memberships');
}

/** The last reconciliation was completed so much earlier. */
export async function ageReconciliation(database: Queryable, ms: number): Promise<void> {
  await database.query('UPDATE event_cursors SET completed_at = completed_at - $1', [ms]);
}
