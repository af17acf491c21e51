import { hash } from 'node:crypto';
import type { Database, Queryable, SqlValue } from '../../storage/database.js';
import { RELATIONSHIP_CHANGED, type ReceivedEvent } from './webhook-event.js';

/**
 * The result for one event: new; already known; already known and delivered again; new, and in the place of an unsigned
 * one; or unsigned and left out, because a trusted source has already reported it.
 */
export type Insertion = 'stored' | 'repeated' | 'redelivered' | 'replaced' | 'ignored';

/** Whether there is something new to read or to deliver. */
export function isNews(insertion: Insertion): boolean {
  return insertion !== 'repeated' && insertion !== 'ignored';
}

/** The port that decides what happens with an event once it is stored. */
export interface InsertPolicy {
  /** Whether a target wants the event delivered. */
  isWanted(event: ReceivedEvent): boolean;
  /** From when on a repeat is delivered again; undefined when repeats are only counted. */
  readonly redeliverAfterMs: number | undefined;
}

/** Injection token of the {@link InsertPolicy}. */
export const InsertPolicy = Symbol('InsertPolicy');

/** Any fixed number: the insert transactions of all replicas run one after another. */
const ADVISORY_LOCK = 7_301_943;
const ROWS_AT_ONCE = [50, 10, 1];

/**
 * Inserts events that are new by id, and counts the others as repeats. Part of the caller's transaction. `sequence`
 * follows the order of commits, so that a reader who has seen one number has missed no smaller one.
 *
 * An unsigned event is identified by its subscription and id, so that a forged one cannot occupy the id of a real event.
 * It changes nothing when the event is known from a signature or from reconciliation, and either of these replaces it.
 */
export async function insertEvents(
  tx: Queryable,
  dialect: Database['dialect'],
  events: readonly ReceivedEvent[],
  policy: InsertPolicy,
  now: number,
): Promise<Insertion[]> {
  if (dialect === 'postgres') await tx.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCK]);
  const trusted = await trustedIds(tx, events);
  const isIgnored = ({ trust, id }: ReceivedEvent): boolean => trust === 'unsigned' && trusted.has(id);
  const firsts = firstOfEachKey(events.filter((event) => !isIgnored(event)));
  const fresh = await insertFresh(tx, firsts, policy, now);
  const news = firsts.filter((event) => fresh.has(keyOf(event)));
  const replaced = await supersedeUnsigned(tx, news);
  await noteRelationships(tx, news, now);
  const newsOnly = new Set(news);
  const insertions: Insertion[] = [];
  for (const event of events) {
    if (isIgnored(event)) {
      insertions.push('ignored');
    } else if (newsOnly.has(event)) {
      insertions.push(replaced.has(event.id) ? 'replaced' : 'stored');
    } else if (event.trust === 'reconciled') {
      insertions.push('repeated'); // found again, not sent again
    } else {
      insertions.push(await countRepeat(tx, event, policy, now));
    }
  }
  return insertions;
}

/** The id that an event is stored and delivered under. */
function keyOf({ id, trust, subscriptionId }: ReceivedEvent): string {
  return trust === 'unsigned' ? `unsigned:${hash('sha256', JSON.stringify([subscriptionId, id]))}` : id;
}

function firstOfEachKey(events: readonly ReceivedEvent[]): ReceivedEvent[] {
  const firsts = new Map<string, ReceivedEvent>();
  for (const event of events) if (!firsts.has(keyOf(event))) firsts.set(keyOf(event), event);
  return [...firsts.values()];
}

/** Those ids of unsigned events that a trusted source has already reported, or reports in this call. */
async function trustedIds(tx: Queryable, events: readonly ReceivedEvent[]): Promise<Set<string>> {
  const unsigned = events.filter(({ trust }) => trust === 'unsigned').map(({ id }) => id);
  const trusted = new Set(unsigned.length === 0 ? [] : events.filter(isTrusted).map(({ id }) => id));
  for (const ids of chunksOf(unsigned)) {
    const rows = await tx.query<{ id: string }>(
      `SELECT id FROM events WHERE event_id IS NULL AND id IN (${placeholders(ids.length)})`,
      ids,
    );
    for (const { id } of rows) trusted.add(id);
  }
  return trusted;
}

/**
 * Empties the unsigned copies of events that are stored now. Their rows stay for streams whose last event they were; a
 * delivery of them under way can report nothing any more.
 */
async function supersedeUnsigned(tx: Queryable, news: readonly ReceivedEvent[]): Promise<Set<string>> {
  const superseded = new Set<string>();
  for (const ids of chunksOf(news.filter(isTrusted).map(({ id }) => id))) {
    const rows = await tx.query<{ event_id: string }>(
      `UPDATE events SET trust = 'superseded', payload = NULL, state = 'stored', due_at = NULL, lease = lease + 1
       WHERE trust = 'unsigned' AND event_id IN (${placeholders(ids.length)}) RETURNING event_id`,
      ids,
    );
    for (const { event_id: id } of rows) superseded.add(id);
  }
  return superseded;
}

function isTrusted({ trust }: ReceivedEvent): boolean {
  return trust !== 'unsigned';
}

/** Chunks of few sizes, so that few statements are prepared. */
function chunksOf<T>(items: readonly T[]): T[][] {
  const chunks: T[][] = [];
  for (let start = 0; start < items.length; start += chunks.at(-1)!.length) {
    const size = ROWS_AT_ONCE.find((rows) => rows <= items.length - start)!;
    chunks.push(items.slice(start, start + size));
  }
  return chunks;
}

function placeholders(count: number, from = 1): string {
  return Array.from({ length: count }, (_, index) => `$${from + index}`).join(', ');
}

async function insertFresh(
  tx: Queryable,
  events: readonly ReceivedEvent[],
  policy: InsertPolicy,
  now: number,
): Promise<Set<string>> {
  const fresh = new Set<string>();
  for (const chunk of chunksOf(events)) {
    const rows = chunk.map((event) => toRow(event, policy, now));
    const inserted = await tx.query<{ id: string }>(insertStatement(rows.length), rows.flat());
    for (const { id } of inserted) fresh.add(id);
  }
  return fresh;
}

const COLUMNS = [
  'id',
  'event_id',
  'trust',
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
  const row = (index: number): string => `(${placeholders(COLUMNS.length, index * COLUMNS.length + 1)})`;
  const values = Array.from({ length: rows }, (_, index) => row(index)).join(', ');
  return `INSERT INTO events (${COLUMNS.join(', ')}) VALUES ${values} ON CONFLICT (id) DO NOTHING RETURNING id`;
}

function toRow(event: ReceivedEvent, policy: InsertPolicy, now: number): SqlValue[] {
  const { id, trust, type, hirerId, subscriptionId, requestId, createDateTime, payload } = event;
  const key = [keyOf(event), trust === 'unsigned' ? id : null, trust];
  const times = [now, now, trust === 'reconciled' ? 0 : 1];
  const queue = policy.isWanted(event) ? ['pending', now] : ['stored', null];
  return [...key, type, hirerId, subscriptionId, requestId, createDateTime, ...times, payload, ...queue];
}

/** A repeat long after the last receipt is delivered again: the upstream repairs that way (facts, Webhooks). */
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
          [keyOf(event), now, now - policy.redeliverAfterMs],
        )
      : [];
  await tx.query(
    'UPDATE events SET received = received + 1, last_received_at = $2, payload = COALESCE(payload, $3) WHERE id = $1',
    [keyOf(event), now, event.payload],
  );
  return again.length > 0 ? 'redelivered' : 'repeated';
}

/** Lists the hirers whose relationship changed for review. */
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
