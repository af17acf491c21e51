import type { Transaction } from '../../../storage/database.js';
import { queue } from '../deliveries.js';
import type { EventSinks } from '../event-sinks.js';
import { noteRelationships } from '../relationships.js';
import { RELATIONSHIP_CHANGED, type Insertion, type ReceivedEvent } from '../webhook-event.js';
import { addCopies, NO_COPIES } from './add-copies.js';
import { insertNew, queuedFor } from './insert-new.js';

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
  await queue(tx, queuedFor(fresh, sinks), 'new', { isLast: isAll });
  const added = copies.length === 0 ? NO_COPIES : await addCopies(tx, copies, sinks);
  const news = [...fresh.keys(), ...added.fresh];
  await noteRelationships(tx, [...news, ...added.ofNewHirers].filter(isChange));
  return {
    insertions: events.map((event) =>
      fresh.has(event) ? 'stored' : (added.insertions.get(event) ?? 'repeated'),
    ),
    news: [...news, ...added.news],
  };
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
