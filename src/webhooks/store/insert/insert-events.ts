import type { Transaction } from '../../../storage/database.js';
import { queue } from '../deliveries.js';
import type { EventSinks } from '../event-sinks.js';
import { noteRelationships } from '../relationships.js';
import {
  createdAt,
  OUTDATED_MS,
  RELATIONSHIP_CHANGED,
  type IdentifiedEvent,
  type Insertion,
  type ReceivedEvent,
} from '../webhook-event.js';
import { CopyJoining, identifyCopies } from './add-copies.js';

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
 * Stores events that are new by their ids, and queues them for the sinks that want them; what is left are copies
 * ({@link addCopies}). Part of the caller's transaction. `sequence` follows the order of commits, so
 * that a reader who has seen one number has missed no smaller one.
 *
 * A webhook's event that was created more than 180 days ago is a repeat, and changes nothing: the upstream keeps events
 * for half that time, so it is an old body that somebody kept, and its record may be deleted.
 * @param isLast whether the transaction ends with it
 */
export async function insertEvents(
  tx: Transaction,
  events: readonly ReceivedEvent[],
  sinks: EventSinks,
  isLast = false,
): Promise<InsertedEvents> {
  await lockEvents(tx);
  const fresh = await insertNew(tx, events, sinks);
  const copies = events.filter((event) => !fresh.has(event));
  const isAll = copies.length === 0 && isLast && !events.some(isChange);
  await queue(tx, sinks.queued(fresh), 'new', { isLast: isAll });
  const added = copies.length > 0 ? await addCopies(tx, copies, sinks) : undefined;
  const news = [...fresh.keys(), ...(added?.fresh ?? [])];
  await noteRelationships(tx, [...news, ...(added?.ofNewHirers ?? [])].filter(isChange));
  return {
    insertions: events.map((event) =>
      fresh.has(event) ? 'stored' : (added?.insertions.get(event) ?? 'repeated'),
    ),
    news: [...news, ...(added?.news ?? [])],
  };
}

/** Joins copies to their events. One that names another hirer is an event of its own. */
async function addCopies(tx: Transaction, copies: readonly ReceivedEvent[], sinks: EventSinks) {
  const { identified, stored } = await identifyCopies(tx, copies);
  const joining = new CopyJoining(tx, sinks, identified);
  const unknown = [...identified.keys()].filter(({ id }) => !stored.has(id));
  const fresh = await insertNew(tx, unknown, sinks, true);
  await queue(tx, sinks.queued(fresh), 'new');
  for (const event of fresh.keys()) {
    joining.insertions.set(identified.get(event)!, event.sharedId === undefined ? 'stored' : 'conflict');
  }
  await joining.joinAll([...identified.keys()].filter((event) => !fresh.has(event)));
  const { insertions, news, ofNewHirers } = joining;
  return { insertions, fresh: [...fresh.keys()], news, ofNewHirers };
}

function isChange({ type, hirerId }: ReceivedEvent): boolean {
  return type === RELATIONSHIP_CHANGED && hirerId !== null;
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
 * @param areIdentified if not, an id that several hirers' events share is left out
 * @returns their `sequence`
 */
async function insertNew(
  tx: Transaction,
  events: readonly IdentifiedEvent[],
  sinks: EventSinks,
  areIdentified = false,
): Promise<Map<IdentifiedEvent, number>> {
  if (events.length === 0) return new Map();
  const firsts = new Map<string, IdentifiedEvent>();
  for (const event of events) if (!firsts.has(event.id)) firsts.set(event.id, event);
  const rows = JSON.stringify([...firsts.values()].map((event, index) => toRow(event, index + 1, sinks)));
  const found = await tx.query<{ id: string; sequence: number }>(insertStatement(tx, areIdentified), [rows]);
  return new Map(found.map(({ id, sequence }) => [firsts.get(id)!, sequence]));
}

/** `$1` has the rows of {@link toRow}. */
function insertStatement({ sql }: Transaction, areIdentified: boolean): string {
  const sharing = '(SELECT 1 FROM events AS other WHERE other.shared_id = value->>1 LIMIT 1)'; // looked up for each
  return `
    INSERT INTO events (sequence, id, shared_id, trust, type, hirer_id, subscription_id, request_id, create_date_time,
      payload, queued, copies, received_at, last_received_at, stored_at)
    SELECT top.place + CAST(value->>0 AS BIGINT), value->>1, value->>2, value->>3, value->>4, value->>5, value->>6,
      value->>7, value->>8, value->>9, CAST(value->>10 AS INTEGER), CAST(value->>11 AS INTEGER), :now, :now, :now
    FROM ${sql.rows('$1')}, (SELECT COALESCE(MAX(sequence), 0) AS place FROM events) AS top
    WHERE (value->>12 IS NULL OR CAST(value->>12 AS BIGINT) >= :now - ${OUTDATED_MS})
      ${areIdentified ? '' : `AND ${sharing} IS NULL`}
    ON CONFLICT (id) DO NOTHING RETURNING id, sequence`;
}

function toRow(event: IdentifiedEvent, rank: number, sinks: EventSinks): readonly (string | number | null)[] {
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
  const isWanted = sinks.wanting(event).length > 0;
  const isSigned = trust === 'signed';
  return [
    ...[rank, id, sharedId, trust, type, hirerId, subscriptionId, requestId, createDateTime, payload],
    ...[isWanted ? 1 : 0, isSigned ? 1 : 0, isSigned ? createdAt(event) : null],
  ];
}
