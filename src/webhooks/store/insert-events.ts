import type { SqlValue, Transaction } from '../../storage/database.js';
import { queue } from './deliveries.js';
import type { EventSinks } from './event-sinks.js';
import {
  isOutdated,
  OUTDATED_MS,
  type IdentifiedEvent,
  type Insertion,
  type ReceivedEvent,
} from '../webhook-event.js';
import { CopiedEvents } from './add-copies.js';

/** Log message for an event whose {@link Insertion} is `conflict`. */
export const CONFLICT = 'an event has the id of another hirer’s event, and is stored under an id of its own';

/** The outcome for the events of one call. */
interface InsertedEvents {
  /** One for each event, in their order. */
  readonly insertions: readonly Insertion[];
  /** The events with something new to read or to deliver, as they are stored now. */
  readonly news: readonly ReceivedEvent[];
}

/** Any fixed number; {@link lockEvents} of every version takes the same. */
const EVENTS_LOCK = 7_301_943;

/**
 * Stores events that are new by their ids, and queues them for the sinks that want them; what is left are copies, which are
 * joined to their events. Part of the caller's transaction. `sequence` follows the order of commits, so that a reader who
 * has seen one number has missed no smaller one.
 *
 * A webhook's event that was created more than 180 days ago is a repeat, and changes nothing: the upstream keeps events
 * for half that time, so it is an old body that somebody kept, and its record may be deleted. Both clocks have to say so,
 * the database's and our own, since one that is wrong would lose events.
 * @param isLast whether the transaction ends with it
 * @param now epoch milliseconds by the clock of this process
 */
export async function insertEvents(
  tx: Transaction,
  events: readonly ReceivedEvent[],
  sinks: EventSinks,
  isLast = false,
  now = Date.now(),
): Promise<InsertedEvents> {
  await lockEvents(tx);
  const fresh = await insertNew(tx, events, sinks, now);
  const left = events.filter((event) => !fresh.has(event));
  await queue(tx, sinks.queued(fresh), 'new', { isLast: left.length === 0 && isLast });
  const news = [...fresh.keys()];
  if (left.length === 0) return { insertions: events.map(() => 'stored'), news };
  const insertOne = async (event: IdentifiedEvent): Promise<boolean> => {
    const stored = await insertNew(tx, [event], sinks, now);
    await queue(tx, sinks.queued(stored), 'new');
    return stored.size > 0;
  };
  const copies = new CopiedEvents(tx, sinks, insertOne, now);
  await copies.add(left);
  const insertionOf = (event: ReceivedEvent): Insertion =>
    fresh.has(event) ? 'stored' : (copies.insertions.get(event) ?? 'repeated');
  return { insertions: events.map(insertionOf), news: [...news, ...copies.news] };
}

/**
 * Makes transactions that change many events run one after another, on all replicas: they would lock each other out.
 */
export function lockEvents(tx: Transaction): Promise<void> {
  return tx.lock(EVENTS_LOCK);
}

/**
 * Inserts the first event of each id that is new. Events go as JSON texts: on SQLite's way between threads, and in its
 * statement, a text costs a fraction of what hundreds of values do.
 * @returns their `sequence`
 */
async function insertNew(
  tx: Transaction,
  events: Iterable<IdentifiedEvent>,
  sinks: EventSinks,
  now: number,
): Promise<Map<IdentifiedEvent, number>> {
  const firsts = new Map<string, IdentifiedEvent>();
  for (const event of events) if (!firsts.has(event.id)) firsts.set(event.id, event);
  if (firsts.size === 0) return new Map();
  const rows = [...firsts.values()].map((event, index) => toRow(event, index + 1, sinks, now));
  const found = await tx.query<{ id: string; sequence: number }>(
    `INSERT INTO events (sequence, id, shared_id, trust, type, hirer_id, subscription_id, request_id, create_date_time,
       payload, queued, copies, received_at, last_received_at, stored_at)
     SELECT top.place + CAST(value->>0 AS BIGINT), value->>1, value->>2, value->>3, value->>4, value->>5, value->>6,
       value->>7, value->>8, value->>9, CAST(value->>10 AS INTEGER), CAST(value->>11 AS INTEGER), :now, :now, :now
     FROM ${tx.sql.rows('$1')}, (SELECT COALESCE(MAX(sequence), 0) AS place FROM events) AS top
     WHERE (value->>12 IS NULL OR CAST(value->>12 AS BIGINT) >= :now - ${OUTDATED_MS})
     ON CONFLICT (id) DO NOTHING RETURNING id, sequence`,
    [JSON.stringify(rows)],
  );
  return new Map(found.map(({ id, sequence }) => [firsts.get(id)!, sequence]));
}

/** Ends with when it was created, where our clock says that this is too long ago. */
function toRow(event: IdentifiedEvent, rank: number, sinks: EventSinks, now: number): SqlValue[] {
  const { id, sharedId = null, trust, type, hirerId, subscriptionId, requestId, createDateTime } = event;
  return [
    ...[rank, id, sharedId, trust, type, hirerId, subscriptionId, requestId, createDateTime, event.payload],
    ...[sinks.wanting(event).length > 0 ? 1 : 0, trust === 'signed' ? 1 : 0],
    isOutdated(event, now) ? Date.parse(createDateTime!) : null,
  ];
}
