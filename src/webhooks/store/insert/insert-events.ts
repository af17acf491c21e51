import type { Transaction } from '../../../storage/database.js';
import { completeEvents } from './complete-events.js';
import { countRepeats } from './count-repeats.js';
import type { ReceivedEvent } from '../webhook-event.js';
import type { InsertPolicy } from './insert-policy.js';
import { noteRelationships } from '../relationship-changes.js';

/** The result for one event: new; already known; already known and delivered again; or completed by this copy. */
export type Insertion = 'stored' | 'repeated' | 'redelivered' | 'completed';

/** The outcome for the events of one call. */
export interface InsertedEvents {
  /** One for each event, in their order. */
  readonly insertions: readonly Insertion[];
  /** The events with something new to read or to deliver, as they are stored now. */
  readonly news: readonly ReceivedEvent[];
}

/** Any fixed number; {@link lockEvents} of every version takes the same. */
const EVENTS_LOCK = 7_301_943;
/** Twice what the upstream keeps (interface 6). */
const OUTDATED_MS = 180 * 86_400_000;

/**
 * Inserts events that are new by id; joins the others to the stored ones, and counts them as repeats if they add
 * nothing. Part of the caller's transaction. `sequence` follows the order of commits, so that a reader who has seen one
 * number has missed no smaller one.
 *
 * A webhook's event that was created more than 180 days ago is a repeat, and changes nothing: the upstream keeps events
 * for half that time, so it is an old body that somebody kept, and its record may be deleted.
 */
export async function insertEvents(
  tx: Transaction,
  events: readonly ReceivedEvent[],
  policy: InsertPolicy,
  now: number,
): Promise<InsertedEvents> {
  await lockEvents(tx);
  const current = events.filter((event) => !isOutdated(event, now));
  const fresh = new Set(freshOfEachId(current, await storedAmong(tx, current)));
  await insertFresh(tx, [...fresh], policy, now);
  const copies = current.filter((event) => !fresh.has(event));
  const completions = await completeEvents(tx, copies, policy, now);
  const completed = [...completions.values()];
  const ofNewHirers = completed.filter(({ isNewHirer }) => isNewHirer).map(({ event }) => event);
  await noteRelationships(tx, [...fresh, ...ofNewHirers], now);
  const addNothing = copies.filter((event) => !completions.has(event));
  // one that reconciliation finds again was not sent again, and is not counted
  const repeats = addNothing.filter(({ trust }) => trust !== 'reconciled');
  const redelivered = await countRepeats(tx, repeats, policy, now);
  const insertionOf = (event: ReceivedEvent): Insertion => {
    if (fresh.has(event)) return 'stored';
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

function isOutdated({ trust, createDateTime }: ReceivedEvent, now: number): boolean {
  return trust === 'signed' && createDateTime !== null && Date.parse(createDateTime) < now - OUTDATED_MS;
}

/** Which of these events' ids are stored. Under the lock, so that it stays true until the end of the transaction. */
async function storedAmong(tx: Transaction, events: readonly ReceivedEvent[]): Promise<Set<string>> {
  const { sql } = tx;
  const rows = await tx.query<{ id: string }>(
    `SELECT id FROM events WHERE ${sql.isAmong('events.id', `SELECT value->>0 FROM ${sql.rows('$1')}`)}`,
    [JSON.stringify(events.map(({ id }) => [id]))],
  );
  return new Set(rows.map(({ id }) => id));
}

/** The first event of each id that is new. */
function freshOfEachId(
  events: readonly ReceivedEvent[],
  stored: ReadonlySet<string>,
): Iterable<ReceivedEvent> {
  const firsts = new Map<string, ReceivedEvent>();
  for (const event of events) {
    if (!stored.has(event.id) && !firsts.has(event.id)) firsts.set(event.id, event);
  }
  return firsts.values();
}

/** The events of nearly every transaction are one statement; those of the largest webhooks end in time, each of them. */
const ROWS_PER_INSERT = 5_000;

/**
 * Inserts events by JSON texts: on SQLite's way between threads, and in its statement, a text costs a fraction of what
 * hundreds of values do. An id that is stored after all is an error, and loses no event.
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
    INSERT INTO events (id, trust, type, hirer_id, subscription_id, request_id, create_date_time, payload,
      state, due_at, received, received_at, last_received_at)
    SELECT value->>0, value->>1, value->>2, value->>3, value->>4, value->>5, value->>6, value->>7,
      value->>8, CASE WHEN value->>8 = 'pending' THEN ${now} END,
      CASE WHEN value->>1 = 'reconciled' THEN 0 ELSE 1 END, ${now}, ${now} FROM ${sql.rows('$1')}`;
}

/** The columns from `id` to `state`, as {@link insertStatement} counts them. */
function toRow(event: ReceivedEvent, policy: InsertPolicy): readonly (string | null)[] {
  const { id, trust, type, hirerId, subscriptionId, requestId, createDateTime, payload } = event;
  const state = policy.isWanted(event) ? 'pending' : 'stored';
  return [id, trust, type, hirerId, subscriptionId, requestId, createDateTime, payload, state];
}
