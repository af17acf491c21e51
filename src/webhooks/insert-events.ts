import type { Database, Queryable, SqlValue } from '../storage/database.js';
import { RELATIONSHIP_CHANGED, type ReceivedEvent } from './webhook-event.js';

/** What became of one event: new, known already, or known and delivered once more. */
export type Insertion = 'stored' | 'repeated' | 'redelivered';

/** How events are taken in. */
export interface InsertPolicy {
  /** Whether somebody wants the event delivered. */
  readonly isWanted: (event: ReceivedEvent) => boolean;
  /** `EVENT_REPEATS` and its window; undefined when repeats are only counted. */
  readonly redeliverAfterMs: number | undefined;
}

/** Any fixed number: events of all replicas are inserted one transaction after the other. */
const ADVISORY_LOCK = 7_301_943;
const ROWS_AT_ONCE = [50, 10, 1];

/**
 * Inserts events that are new by id, and counts the others as repeats. Part of the caller's transaction, in which it
 * makes `sequence` follow the order of commits, so that a reader who has seen one number has missed no smaller one.
 * @param source an event that reconciliation brings is no repeat: it was never sent
 */
export async function insertEvents(
  tx: Queryable,
  dialect: Database['dialect'],
  events: readonly ReceivedEvent[],
  source: 'webhook' | 'reconciliation',
  policy: InsertPolicy,
  now: number,
): Promise<Insertion[]> {
  if (dialect === 'postgres') await tx.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCK]);
  const ids = new Set<string>();
  const firsts = events.filter(({ id }) => !ids.has(id) && ids.add(id));
  const fresh = await insertFresh(tx, firsts, source, policy, now);
  await noteRelationships(
    tx,
    firsts.filter(({ id }) => fresh.has(id)),
    now,
  );
  const stored = new Set<string>();
  const insertions: Insertion[] = [];
  for (const event of events) {
    const isNew = fresh.has(event.id) && !stored.has(event.id);
    stored.add(event.id);
    if (isNew) insertions.push('stored');
    else if (source === 'webhook') insertions.push(await countRepeat(tx, event, policy, now));
    else insertions.push('repeated');
  }
  return insertions;
}

async function insertFresh(
  tx: Queryable,
  events: readonly ReceivedEvent[],
  source: 'webhook' | 'reconciliation',
  policy: InsertPolicy,
  now: number,
): Promise<Set<string>> {
  const fresh = new Set<string>();
  for (let start = 0; start < events.length;) {
    const size = ROWS_AT_ONCE.find((rows) => rows <= events.length - start)!;
    const rows = events.slice(start, start + size).map((event) => toRow(event, source, policy, now));
    const inserted = await tx.query<{ id: string }>(insertStatement(size), rows.flat());
    for (const { id } of inserted) fresh.add(id);
    start += size;
  }
  return fresh;
}

const COLUMNS = [
  'id',
  'type',
  'hirer_id',
  'subscription_id',
  'request_id',
  'create_date_time',
  'received_at',
  'last_received_at',
  'received',
  'payload',
  'state',
  'due_at',
];

function insertStatement(rows: number): string {
  const row = (index: number): string =>
    `(${COLUMNS.map((_, column) => `$${index * COLUMNS.length + column + 1}`).join(', ')})`;
  const values = Array.from({ length: rows }, (_, index) => row(index)).join(', ');
  return `INSERT INTO events (${COLUMNS.join(', ')}) VALUES ${values} ON CONFLICT (id) DO NOTHING RETURNING id`;
}

function toRow(
  event: ReceivedEvent,
  source: 'webhook' | 'reconciliation',
  { isWanted }: InsertPolicy,
  now: number,
): SqlValue[] {
  const { id, type, hirerId, subscriptionId, requestId, createDateTime, payload } = event;
  const wanted = isWanted(event);
  const times = [now, now, source === 'webhook' ? 1 : 0];
  const queue = wanted ? ['pending', now] : ['stored', null];
  return [id, type, hirerId, subscriptionId, requestId, createDateTime, ...times, payload, ...queue];
}

/** A repeat long after the last receipt is delivered again: that is how the upstream repairs (facts, Webhooks). */
async function countRepeat(
  tx: Queryable,
  event: ReceivedEvent,
  policy: InsertPolicy,
  now: number,
): Promise<Insertion> {
  const again =
    policy.redeliverAfterMs !== undefined && policy.isWanted(event)
      ? await tx.query(
          `UPDATE events SET state = 'pending', due_at = $2, attempts = 0, done = '', repeated = 1, lease = lease + 1
           WHERE id = $1 AND received > 0 AND last_received_at < $3 AND state IN ('delivered', 'dead') RETURNING id`,
          [event.id, now, now - policy.redeliverAfterMs],
        )
      : [];
  await tx.query(
    'UPDATE events SET received = received + 1, last_received_at = $2, payload = COALESCE(payload, $3) WHERE id = $1',
    [event.id, now, event.payload],
  );
  return again.length > 0 ? 'redelivered' : 'repeated';
}

/** The hirers whose relationship changed, for a person to look at. */
async function noteRelationships(
  tx: Queryable,
  events: readonly ReceivedEvent[],
  now: number,
): Promise<void> {
  for (const { id, type, hirerId } of events) {
    if (type !== RELATIONSHIP_CHANGED || hirerId === null) continue;
    await tx.query(
      `INSERT INTO relationship_changes (hirer_id, event_id, changed_at, changes) VALUES ($1, $2, $3, 1)
       ON CONFLICT (hirer_id) DO UPDATE SET event_id = excluded.event_id, changed_at = excluded.changed_at,
         changes = relationship_changes.changes + 1`,
      [hirerId, id, now],
    );
  }
}
