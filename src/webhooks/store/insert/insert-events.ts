import type { Transaction } from '../../../storage/database.js';
import { completeEvents } from './complete-events.js';
import { countRepeats } from './count-repeats.js';
import { identifyEvents, type IdentifiedEvent } from './identify-events.js';
import type { ReceivedEvent } from '../webhook-event.js';
import type { InsertPolicy } from './insert-policy.js';
import { noteRelationships } from '../relationship-changes.js';

/**
 * The result for one event: new; new under an id of its own, since another hirer's event has its id; already known;
 * already known and delivered again; or completed by this copy.
 */
export type Insertion = 'stored' | 'conflict' | 'repeated' | 'redelivered' | 'completed';

/** What is logged of an event whose {@link Insertion} is `conflict`. */
export const CONFLICT = 'an event has the id of another hirer’s event, and is stored under an id of its own';

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
 * Inserts events that are new by id and hirer ({@link identifyEvents}); joins the others to the stored ones, and counts them as repeats if they add
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
  const identified = await identifyEvents(tx, events, now);
  const given = identified.events.filter((event) => event !== undefined);
  const fresh = new Set(freshOfEachId(given, identified.stored));
  await insertFresh(tx, [...fresh], policy, now);
  const copies = given.filter((event) => !fresh.has(event));
  const completions = await completeEvents(tx, copies, policy, now);
  await noteRelationships(tx, [...fresh, ...completions.ofNewHirers], now);
  // one that reconciliation finds again was not sent again, and is not counted
  const repeats = copies.filter((event) => !completions.copies.has(event) && event.trust !== 'reconciled');
  const redelivered = await countRepeats(tx, repeats, policy, now);
  const insertionOf = (event: IdentifiedEvent): Insertion => {
    if (fresh.has(event)) return event.sharedId === undefined ? 'stored' : 'conflict';
    if (completions.copies.has(event)) return 'completed';
    return redelivered.has(event) ? 'redelivered' : 'repeated';
  };
  const insertions = identified.events.map((event) => (event ? insertionOf(event) : 'repeated'));
  return { insertions, news: [...fresh, ...completions.events, ...redelivered] };
}

/**
 * Makes transactions that change many events run one after another, on all replicas: they would lock each other out.
 */
export function lockEvents(tx: Transaction): Promise<void> {
  return tx.lock(EVENTS_LOCK);
}

/** The first event of each id that is new. */
function freshOfEachId(
  events: readonly IdentifiedEvent[],
  stored: ReadonlySet<string>,
): Iterable<IdentifiedEvent> {
  const firsts = new Map<string, IdentifiedEvent>();
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
  events: readonly IdentifiedEvent[],
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
function toRow(event: IdentifiedEvent, policy: InsertPolicy): readonly (string | null)[] {
  const {
    id,
    sharedId = null,
    trust,
    type,
    hirerId,
    subscriptionId,
    requestId,
    createDateTime,
    payload,
  } = event;
  const state = policy.isWanted(event) ? 'pending' : 'stored';
  return [id, sharedId, trust, type, hirerId, subscriptionId, requestId, createDateTime, payload, state];
}
