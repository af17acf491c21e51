import type { Queryable, Transaction } from '../../../storage/database.js';
import { completeEvents } from './complete-events.js';
import { countRepeats } from './count-repeats.js';
import { keyOf, type ReceivedEvent } from '../webhook-event.js';
import type { InsertPolicy } from './insert-policy.js';
import { noteRelationships } from '../relationship-changes.js';
import { chunksOf, placeholders } from '../event-sql.js';
import { findKnown, type KnownEvents } from './known-events.js';

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
 * An event whose record was deleted, after a year, is still known: a copy is repeated, or ignored, and changes
 * nothing.
 */
export async function insertEvents(
  tx: Transaction,
  events: readonly ReceivedEvent[],
  policy: InsertPolicy,
  now: number,
): Promise<InsertedEvents> {
  await lockEvents(tx);
  const known = await findKnown(tx, events);
  const ignored = alreadyReported(events, known);
  const fresh = new Set(freshOfEachKey(events, ignored, known));
  await insertFresh(tx, [...fresh], policy, now);
  const replacedIds = replacedBy(fresh, known);
  await supersedeUnsigned(tx, [...replacedIds]);
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

/** The unsigned events that a trusted source has already reported, or reports in this call. */
function alreadyReported(events: readonly ReceivedEvent[], known: KnownEvents): ReadonlySet<ReceivedEvent> {
  const unsigned = events.filter((event) => !isTrusted(event));
  const here = new Set(unsigned.length === 0 ? [] : events.filter(isTrusted).map(({ id }) => id));
  return new Set(unsigned.filter(({ id }) => here.has(id) || known.reported.has(id)));
}

/** The first event of each key that is new. */
function freshOfEachKey(
  events: readonly ReceivedEvent[],
  ignored: ReadonlySet<ReceivedEvent>,
  { stored, past }: KnownEvents,
): Iterable<ReceivedEvent> {
  const firsts = new Map<string, ReceivedEvent>();
  for (const event of events) {
    const key = keyOf(event);
    const isKnown = ignored.has(event) || stored.has(key) || past.has(key) || firsts.has(key);
    if (!isKnown) firsts.set(key, event);
  }
  return firsts.values();
}

/** The ids of these new events that were known from unsigned copies. */
function replacedBy(fresh: ReadonlySet<ReceivedEvent>, { unsigned }: KnownEvents): ReadonlySet<string> {
  if (unsigned.size === 0) return unsigned;
  return new Set(
    [...fresh].filter((event) => isTrusted(event) && unsigned.has(event.id)).map(({ id }) => id),
  );
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

/** The events of nearly every transaction are one statement; those of the largest webhooks end in time, each of them. */
const ROWS_PER_INSERT = 5_000;

/**
 * Inserts events by JSON texts: on SQLite's way between threads, and in its statement, a text costs a fraction of what
 * hundreds of values do. A key that is stored after all is an error, and loses no event.
 */
async function insertFresh(
  tx: Transaction,
  events: readonly ReceivedEvent[],
  policy: InsertPolicy,
  now: number,
): Promise<void> {
  const rows = events.map((event) => toRow(event, policy));
  for (let start = 0; start < rows.length; start += ROWS_PER_INSERT) {
    const some = JSON.stringify(rows.slice(start, start + ROWS_PER_INSERT));
    await tx.query(insertStatement(tx), [some, now]);
  }
}

/** `$1` has the rows of {@link toRow}, in the order of its columns, and `$2` is the time. */
function insertStatement({ sql }: Transaction): string {
  const now = 'CAST($2 AS BIGINT)';
  return `
    INSERT INTO events (id, event_id, trust, type, hirer_id, subscription_id, request_id, create_date_time, payload,
      state, due_at, received, received_at, last_received_at)
    SELECT value->>0, value->>1, value->>2, value->>3, value->>4, value->>5, value->>6, value->>7, value->>8,
      value->>9, CASE WHEN value->>9 = 'pending' THEN ${now} END,
      CASE WHEN value->>2 = 'reconciled' THEN 0 ELSE 1 END, ${now}, ${now} FROM ${sql.rows('$1')}`;
}

/** The columns from `id` to `state`, as {@link insertStatement} counts them. */
function toRow(event: ReceivedEvent, policy: InsertPolicy): readonly (string | null)[] {
  const { id, trust, type, hirerId, subscriptionId, requestId, createDateTime, payload } = event;
  const origin = [keyOf(event), trust === 'unsigned' ? id : null, trust];
  const state = policy.isWanted(event) ? 'pending' : 'stored';
  return [...origin, type, hirerId, subscriptionId, requestId, createDateTime, payload, state];
}
