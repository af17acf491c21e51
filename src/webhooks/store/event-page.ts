import type { Queryable, Row } from '../../storage/database.js';
import { readPage, type Page, type SqlCondition } from '../../storage/lists/page.js';
import type { EventState } from '../webhook-event.js';

/** Which events to list, latest first, and whether with their payloads. */
export interface EventFilter {
  readonly state?: EventState | undefined;
  readonly type?: string | undefined;
  readonly hirer?: string | undefined;
  readonly id?: string | undefined;
  /** Stored from then on, epoch milliseconds; an event that was completed counts as stored then. */
  readonly since?: number | undefined;
  /** Stored before, epoch milliseconds. */
  readonly until?: number | undefined;
  /** Cursor: only events that follow in the list. */
  readonly after?: number | undefined;
  /** Leaves the payloads unread in the database: a page of them may be megabytes. */
  readonly withoutPayload?: boolean | undefined;
}

const PAGE_ITEMS = 100;

/** States of an event at several sinks: the first of these that one has is that of the event. */
export const BY_URGENCY: readonly EventState[] = ['dead', 'failed', 'pending', 'delivered', 'stored'];

/** Events that have the id, or came with it. */
const WITH_ID = `events.sequence IN (
  SELECT sequence FROM events WHERE id = ? UNION SELECT sequence FROM events WHERE shared_id = ?)`;

/** A page in the order in which events were stored, or completed. */
export function readEvents<R extends Row & { readonly sequence: number }>(
  database: Queryable,
  columns: string,
  filter: EventFilter,
): Promise<Page<R>> {
  const { state, type, hirer, id, since, until, after } = filter;
  const isAlone = type === undefined && hirer === undefined && id === undefined;
  const { from, place, conditions } = inState(state, isAlone);
  // PostgreSQL does not conclude the one bound from the other, and would join from the end
  const bounds = [...new Set([place, 'events.sequence'])];
  return readPage<R, R>(database, {
    select: `SELECT ${columns} FROM ${from}`,
    conditions: [
      ...conditions,
      ['events.type = ?', type],
      ['events.hirer_id = ?', hirer],
      [WITH_ID, id, id],
      ...bounds.flatMap((column) => [...atTime(since, until, column), [`${column} < ?`, after] as const]),
    ],
    orderBy: `${place} DESC`,
    itemsMax: PAGE_ITEMS,
    toItem: (row) => row,
    cursorOf: ({ sequence }) => String(sequence),
  });
}

/**
 * Events stored from one time on and before another: their places follow the time.
 * @param column of the place of an event
 */
export function atTime(since: number | undefined, until: number | undefined, column: string): SqlCondition[] {
  const place = `COALESCE((SELECT sequence FROM events AS timed WHERE timed.stored_at >= ?
    ORDER BY timed.stored_at, timed.sequence LIMIT 1), ${Number.MAX_SAFE_INTEGER})`;
  return [
    [`${column} >= ${place}`, since],
    [`${column} < ${place}`, until],
  ];
}

/**
 * Where to look for the events that are in a state as a whole: among the deliveries in that state, since these are few, or
 * there is nothing else to look for. `place` is the column whose index has the order of the list.
 */
function inState(
  state: EventState | undefined,
  isAlone: boolean,
): { readonly from: string; readonly place: string; readonly conditions: readonly SqlCondition[] } {
  const all = { from: 'events', place: 'events.sequence' };
  if (state === undefined) return { ...all, conditions: [] };
  if (state === 'stored') return { ...all, conditions: [['events.queued = 0']] };
  const worse = BY_URGENCY.slice(0, BY_URGENCY.indexOf(state)).map((one) => `'${one}'`);
  const isWorse = worse.length === 0 ? 'false' : `other.state IN (${worse.join(', ')})`;
  const others = 'SELECT 1 FROM deliveries AS other WHERE other.event = events.sequence AND';
  if (state === 'delivered' && !isAlone) {
    const conditions: SqlCondition[] = [
      [`EXISTS (${others} other.state = 'delivered')`],
      [`NOT EXISTS (${others} ${isWorse})`],
    ];
    return { ...all, conditions };
  }
  return {
    from: 'deliveries AS one CROSS JOIN events', // in this order on SQLite
    place: 'one.event',
    conditions: [
      ['one.event = events.sequence'],
      ['one.state = ?', state],
      [`NOT EXISTS (${others} (${isWorse} OR (other.state = one.state AND other.sink < one.sink)))`],
    ],
  };
}
