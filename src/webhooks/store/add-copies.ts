import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Row, SqlValue, Transaction } from '../../storage/database.js';
import { queue } from './deliveries.js';
import type { EventSinks } from './event-sinks.js';
import {
  DERIVED_ID,
  EVENT_COLUMNS,
  isOutdated,
  type IdentifiedEvent,
  type Insertion,
  type ReceivedEvent,
} from '../webhook-event.js';
import { JoinedEvent, type StoredEvent } from './join-copies.js';

/** What came of the copies of stored events. */
interface JoinedCopies {
  /** A copy that is missing is a repeat. */
  readonly insertions: Map<IdentifiedEvent, Insertion>;
  /** The events that were completed or delivered again, as they are stored now. */
  readonly news: ReceivedEvent[];
}

/** An event that was last sent long ago, and the copy that came now. */
interface LateEvent {
  readonly event: ReceivedEvent;
  readonly repeat: IdentifiedEvent;
}

/** `lastReceivedAt` and `now` are epoch milliseconds. */
type StoredRow = StoredEvent &
  Row & { sequence: number; copies: number; lastReceivedAt: number; now: number };

/** How long after the last copy of an event another one is only counted. */
const REPEAT_WINDOW_MS = 300_000;
/** Events that are read at once: the payload of each may have a megabyte. */
const EVENTS_AT_ONCE = 50;
/** Copies that are joined in one turn of the event loop. */
const COPIES_PER_TURN = 100;

/**
 * Tells events of one id apart that name different hirers: the first keeps the id, another has one that is derived from
 * id and hirer. A copy that names no hirer is of the only one; where there are several, it could be any one's, and is left
 * out.
 * @returns the copies by themselves under the ids of their events, in order
 */
export async function identifyCopies(
  tx: Transaction,
  copies: readonly ReceivedEvent[],
): Promise<Map<IdentifiedEvent, ReceivedEvent>> {
  const isAmong = amongIds(tx);
  const rows = await tx.query<{ id: string; hirer_id: string | null; shared_id: string | null }>(
    `SELECT id, hirer_id, shared_id FROM events WHERE ${isAmong('events.id')}
     UNION ALL SELECT id, hirer_id, shared_id FROM events WHERE ${isAmong('shared_id')}`,
    [toRows(new Set(copies.map(({ id }) => id)))],
  );
  const owners = new Map(rows.map((row) => [row.id, row.hirer_id]));
  const shared = new Set(rows.flatMap((row) => row.shared_id ?? []));
  const identified = new Map<IdentifiedEvent, ReceivedEvent>();
  for (const copy of copies) {
    const { id, hirerId } = copy;
    const owner = owners.get(id) ?? hirerId;
    if (hirerId !== null && hirerId !== owner) {
      shared.add(id);
      const derived = `${DERIVED_ID}${hash('sha256', JSON.stringify([id, hirerId]))}`;
      identified.set({ ...copy, id: derived, sharedId: id }, copy);
    } else if (hirerId !== null || !shared.has(id)) {
      owners.set(id, owner);
      identified.set(copy, copy);
    }
  }
  return identified;
}

/**
 * Joins copies to their events ({@link JoinedEvent}) in the order in which they arrived. An event that becomes fuller is
 * news: it moves to the end of the sequence and is delivered once more, whatever its delivery had come to. A copy that adds
 * nothing is counted, unless reconciliation found it; it is delivered again if the one before came long ago, since the
 * upstream repairs that way. Part of the transaction of `insertEvents`.
 * @param now epoch milliseconds by the clock of this process
 */
export async function joinCopies(
  tx: Transaction,
  copies: readonly IdentifiedEvent[],
  sinks: EventSinks,
  now: number,
): Promise<JoinedCopies> {
  const result: JoinedCopies = { insertions: new Map(), news: [] };
  const byId = [...Map.groupBy(copies, ({ id }) => id)];
  while (byId.length > 0) await joinSome(tx, new Map(byId.splice(0, EVENTS_AT_ONCE)), sinks, now, result);
  return result;
}

async function joinSome(
  tx: Transaction,
  copies: ReadonlyMap<string, readonly IdentifiedEvent[]>,
  sinks: EventSinks,
  now: number,
  { insertions, news }: JoinedCopies,
): Promise<void> {
  const rows = await readStored(tx, copies.keys());
  const changes: SqlValue[][] = [];
  const completed: ReceivedEvent[] = [];
  const late = new Map<number, LateEvent>();
  let joined = 0;
  for (const stored of rows) {
    const joining = new JoinedEvent(stored);
    const own = copies.get(stored.id)!.filter((copy) => !isOutdated(copy, Math.min(now, stored.now)));
    const fuller: IdentifiedEvent[] = [];
    for (const copy of own) {
      if (joining.add(copy)) fuller.push(copy);
      joined += 1;
      if (joined % COPIES_PER_TURN === 0) await nextTurn();
    }
    const sent = own.filter(({ trust }) => trust === 'signed');
    const repeat = sent.find((copy) => !fuller.includes(copy));
    const event = joining.joined;
    if (fuller.length > 0) {
      completed.push(event);
      for (const copy of fuller) insertions.set(copy, 'completed');
    } else if (!repeat) {
      continue;
    } else if (stored.copies > 0 && stored.lastReceivedAt < stored.now - REPEAT_WINDOW_MS) {
      late.set(stored.sequence, { event, repeat });
    }
    const isOther = fuller.length > 0 || event.trust !== stored.trust;
    const restored = stored.payload === null ? repeat?.payload : null;
    const rank = fuller.length > 0 ? completed.length : null;
    changes.push([
      ...toRow(event, isOther ? event.payload : (restored ?? null)),
      ...[sent.length, rank, rank !== null && sinks.wanting(event).length > 0 ? 1 : 0],
    ]);
  }
  const places = await change(tx, changes);
  await queue(tx, sinks.queued(new Map(completed.map((event) => [event, places.get(event.id)!]))), 'new');
  const again = await redeliver(tx, late, sinks);
  for (const { repeat } of again) insertions.set(repeat, 'redelivered');
  news.push(...completed, ...again.map(({ event }) => event));
}

function readStored(tx: Transaction, ids: Iterable<string>): Promise<StoredRow[]> {
  return tx.query(
    `SELECT ${EVENT_COLUMNS}, sequence, payload, copies, last_received_at AS "lastReceivedAt", :now AS now
     FROM events WHERE ${amongIds(tx)('events.id')}`,
    [toRows(ids)],
  );
}

/** @param payload null if it stays */
function toRow(event: ReceivedEvent, payload: string | null): SqlValue[] {
  const { id, trust, type, hirerId, subscriptionId, requestId, createDateTime } = event;
  return [id, trust, type, hirerId, subscriptionId, requestId, createDateTime, payload];
}

/** @returns the places of the events by their ids: those with a rank move to the end, in its order */
async function change(tx: Transaction, changes: readonly SqlValue[][]): Promise<Map<string, number>> {
  if (changes.length === 0) return new Map();
  const rows = await tx.query<{ id: string; sequence: number }>(
    `UPDATE events SET trust = value->>1, type = value->>2, hirer_id = value->>3, subscription_id = value->>4,
       request_id = value->>5, create_date_time = value->>6, payload = COALESCE(value->>7, payload),
       copies = copies + CAST(value->>8 AS INTEGER), last_received_at = :now,
       sequence = COALESCE(top.place + CAST(value->>9 AS BIGINT), sequence),
       stored_at = CASE WHEN value->>9 IS NULL THEN stored_at ELSE :now END,
       first_sequence = CASE WHEN value->>9 IS NULL THEN first_sequence
         WHEN hirer_id = value->>3 THEN COALESCE(first_sequence, sequence) END,
       queued = CASE WHEN CAST(value->>10 AS INTEGER) = 1 THEN 1 ELSE queued END
     FROM ${tx.sql.rows('$1')}, (SELECT MAX(sequence) AS place FROM events) AS top
     WHERE events.id = value->>0 RETURNING events.id, sequence`,
    [JSON.stringify(changes)],
  );
  return new Map(rows.map(({ id, sequence }) => [id, sequence]));
}

/** @returns those that had been delivered, or given up, and are now queued again */
async function redeliver(
  tx: Transaction,
  late: ReadonlyMap<number, LateEvent>,
  sinks: EventSinks,
): Promise<LateEvent[]> {
  if (late.size === 0) return [];
  const finished = await tx.query<{ event: number; sink: string }>(
    `SELECT event, sink FROM deliveries WHERE state IN ('delivered', 'dead')
       AND ${tx.sql.isAmong('event', `SELECT CAST(value->>0 AS BIGINT) FROM ${tx.sql.rows('$1')}`)}`,
    [toRows(late.keys())],
  );
  const queued = finished.filter(({ event, sink }) => sinks.wanting(late.get(event)!.event).includes(sink));
  await queue(tx, queued, 'repeat');
  return [...new Set(queued.map(({ event }) => late.get(event)!))];
}

/** One value in each. */
function toRows(values: Iterable<SqlValue>): string {
  return JSON.stringify([...values].map((value) => [value]));
}

/** The condition that a column is one of the texts in `$1`. */
function amongIds({ sql }: Transaction): (column: string) => string {
  return (column) => sql.isAmong(column, `SELECT value->>0 FROM ${sql.rows('$1')}`);
}
