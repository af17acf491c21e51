import type { Queryable, SqlValue, Transaction } from '../../../storage/database.js';
import { completeEvents } from './complete-events.js';
import { countRepeats } from './count-repeats.js';
import { keyOf, type ReceivedEvent } from '../webhook-event.js';
import type { InsertPolicy } from './insert-policy.js';
import { noteRelationships } from '../relationship-changes.js';
import { chunksOf, placeholders, ROWS_AT_ONCE } from '../event-sql.js';
import { findWithPast } from '../past-events.js';

/**
 * The result for one event: new; already known; already known and delivered again; already known, and completed by this
 * copy; new, and in the place of an unsigned one; or unsigned and left out, because a trusted source has already
 * reported it.
 */
export type Insertion = 'stored' | 'repeated' | 'redelivered' | 'completed' | 'replaced' | 'ignored';

/** The outcome for the events of one call. */
export interface InsertedEvents {
  /** One for each event, in their order. */
  readonly insertions: readonly Insertion[];
  /** The events with something new to read or to deliver, as they are stored now. */
  readonly news: readonly ReceivedEvent[];
}

/** Any fixed number; {@link lockEvents} of every version takes the same. */
const EVENTS_LOCK = 7_301_943;

/**
 * Inserts events that are new by id; joins the others to the stored ones, and counts them as repeats if they add
 * nothing. Part of the caller's transaction. `sequence` follows the order of commits, so that a reader who has seen one
 * number has missed no smaller one.
 *
 * An unsigned event is identified by its subscription and id, so that a forged one cannot occupy the id of a real
 * event. It changes nothing when the event is known from a signature or from reconciliation, and either of these
 * replaces it.
 *
 * An event whose record was deleted (`EVENT_RECORD_DAYS`) is still known: a copy is repeated, or ignored, and changes
 * nothing.
 */
export async function insertEvents(
  tx: Transaction,
  events: readonly ReceivedEvent[],
  policy: InsertPolicy,
  now: number,
): Promise<InsertedEvents> {
  await lockEvents(tx);
  const { ignored, past } = await alreadyReported(tx, events);
  const firsts = firstOfEachKey(events.filter((event) => !ignored.has(event)));
  const inserted = await insertFresh(
    tx,
    firsts.filter((event) => !past.has(keyOf(event))),
    policy,
    now,
  );
  const { fresh, replacedIds } = await settleTrusted(tx, inserted);
  const copies = events.filter((event) => !ignored.has(event) && !fresh.has(event));
  const completions = await completeEvents(tx, copies.filter(isTrusted), policy, now);
  const completed = [...completions.values()];
  const ofNewHirers = completed.filter(({ isNewHirer }) => isNewHirer).map(({ event }) => event);
  await noteRelationships(tx, [...[...fresh].filter(isTrusted), ...ofNewHirers], now);
  const addNothing = copies.filter((event) => !completions.has(event));
  // one that reconciliation finds again was not sent again, and is not counted
  const repeats = addNothing.filter(({ trust }) => trust !== 'reconciled');
  const redelivered = await countRepeats(tx, repeats, policy, now);
  const insertionOf = (event: ReceivedEvent): Insertion => {
    if (ignored.has(event)) return 'ignored';
    if (fresh.has(event)) return replacedIds.has(event.id) ? 'replaced' : 'stored';
    if (completions.has(event)) return 'completed';
    return redelivered.has(event) ? 'redelivered' : 'repeated';
  };
  const news = [...fresh, ...completed.map(({ event }) => event), ...redelivered];
  return { insertions: events.map(insertionOf), news };
}

/**
 * Makes transactions that change many events run one after another, on all replicas: they would lock each other out.
 */
export function lockEvents(tx: Transaction): Promise<void> {
  return tx.lock(EVENTS_LOCK);
}

function firstOfEachKey(events: readonly ReceivedEvent[]): ReceivedEvent[] {
  const firsts = new Map<string, ReceivedEvent>();
  for (const event of events) if (!firsts.has(keyOf(event))) firsts.set(keyOf(event), event);
  return [...firsts.values()];
}

/**
 * The unsigned events that a trusted source has already reported, or reports in this call; and the keys of those that
 * were known and whose records were deleted.
 */
async function alreadyReported(
  tx: Transaction,
  events: readonly ReceivedEvent[],
): Promise<{ readonly ignored: ReadonlySet<ReceivedEvent>; readonly past: ReadonlySet<string> }> {
  const unsigned = events.filter((event) => !isTrusted(event));
  const trustedIds = new Set(unsigned.length === 0 ? [] : events.filter(isTrusted).map(({ id }) => id));
  const pastKeys = new Set<string>();
  for (const chunk of chunksOf(unsigned)) {
    const ids = chunk.map(({ id }) => id);
    const { found, past } = await findWithPast(tx, REPORTED, ids, [...ids, ...chunk.map(keyOf)]);
    for (const id of found) trustedIds.add(id);
    for (const key of past) pastKeys.add(key);
  }
  const isReported = ({ id }: ReceivedEvent): boolean => trustedIds.has(id) || pastKeys.has(id);
  return { ignored: new Set(unsigned.filter(isReported)), past: pastKeys };
}

/** Only what came unsigned has an `event_id` of its own beside its key. */
const REPORTED = { text: 'id', condition: 'event_id IS NULL' };
const UNSIGNED = { text: 'event_id', condition: "trust = 'unsigned'" };

/**
 * Of the events that were inserted, takes out again the trusted ones whose records were deleted: they are not new. The
 * others supersede their unsigned copies.
 */
async function settleTrusted(
  tx: Transaction,
  inserted: ReadonlySet<ReceivedEvent>,
): Promise<{ readonly fresh: ReadonlySet<ReceivedEvent>; readonly replacedIds: ReadonlySet<string> }> {
  const pastIds = new Set<string>();
  const replacedIds = new Set<string>();
  for (const ids of chunksOf([...inserted].filter(isTrusted).map(({ id }) => id))) {
    const { found, past } = await findWithPast(tx, UNSIGNED, ids, ids);
    for (const id of past) pastIds.add(id);
    for (const id of found) if (!pastIds.has(id)) replacedIds.add(id);
  }
  for (const ids of chunksOf([...pastIds])) {
    await tx.query(`DELETE FROM events WHERE id IN (${placeholders(ids.length)})`, ids);
  }
  await supersedeUnsigned(tx, [...replacedIds]);
  const fresh = new Set([...inserted].filter((event) => !isTrusted(event) || !pastIds.has(event.id)));
  return { fresh, replacedIds };
}

/**
 * Empties the unsigned copies of events that are stored now. Their rows stay for streams whose last event they were; a
 * delivery of them under way can report nothing any more.
 */
async function supersedeUnsigned(tx: Queryable, eventIds: readonly string[]): Promise<void> {
  for (const ids of chunksOf(eventIds)) {
    await tx.query(
      `UPDATE events SET trust = 'superseded', payload = NULL, history = NULL, state = 'stored', due_at = NULL, lease = lease + 1
       WHERE trust = 'unsigned' AND event_id IN (${placeholders(ids.length)})`,
      ids,
    );
    await tx.query(
      `DELETE FROM event_deliveries WHERE event_key IN (
         SELECT id FROM events WHERE trust = 'superseded' AND event_id IN (${placeholders(ids.length)}))`,
      ids,
    );
  }
}

function isTrusted({ trust }: ReceivedEvent): boolean {
  return trust !== 'unsigned';
}

/** Inserts the events whose key is new, and returns these. */
async function insertFresh(
  tx: Queryable,
  events: readonly ReceivedEvent[],
  policy: InsertPolicy,
  now: number,
): Promise<Set<ReceivedEvent>> {
  const keys = new Set<string>();
  for (const chunk of chunksOf(events)) {
    const values = chunk.flatMap((event) => toRow(event, policy, now));
    const inserted = await tx.query<{ id: string }>(INSERTS.get(chunk.length)!, values);
    for (const { id } of inserted) keys.add(id);
  }
  return new Set(events.filter((event) => keys.has(keyOf(event))));
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

/** By the number of rows. */
const INSERTS = new Map(ROWS_AT_ONCE.map((rows) => [rows, insertStatement(rows)]));

function toRow(event: ReceivedEvent, policy: InsertPolicy, now: number): SqlValue[] {
  const { id, trust, type, hirerId, subscriptionId, requestId, createDateTime, payload } = event;
  const key = [keyOf(event), trust === 'unsigned' ? id : null, trust];
  const times = [now, now, trust === 'reconciled' ? 0 : 1];
  const queue = policy.isWanted(event) ? ['pending', now] : ['stored', null];
  return [...key, type, hirerId, subscriptionId, requestId, createDateTime, ...times, payload, ...queue];
}
