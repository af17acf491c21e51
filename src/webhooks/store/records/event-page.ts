import type { Queryable, Row, SqlValue } from '../../../storage/database.js';
import { readPage, whereOf, type Page, type SqlCondition } from '../../../storage/lists/page.js';
import type { EventSinks } from '../event-sinks.js';
import { inState } from './sink-states.js';
import type { EventState } from '../webhook-event.js';

/** Which events to list, latest first, and whether with their payloads. */
export interface EventFilter {
  readonly state?: EventState | undefined;
  readonly type?: string | undefined;
  readonly hirer?: string | undefined;
  /** The id, or its end: that is looked for among the latest 10,000 events. */
  readonly id?: string | undefined;
  /** Received from then on, epoch milliseconds. */
  readonly since?: number | undefined;
  /** Received before, epoch milliseconds. */
  readonly until?: number | undefined;
  /** Cursor: only events that follow in the list. */
  readonly after?: EventPlace | undefined;
  /** Leaves the payloads unread in the database: a page of them may be megabytes. */
  readonly withoutPayload?: boolean | undefined;
}

/**
 * A place in a list of events: in the order of arrival, or in one of a time, where an event that is completed keeps it.
 * Times are epoch milliseconds, `key` is the `id` of the row.
 */
export type EventPlace =
  { readonly sequence: number } | { readonly receivedAt: number; readonly key: string };

/** What the order of a list needs of a row. */
export interface PlacedRow extends Row {
  id: string;
  sequence: number;
  received_at: number;
}

const PAGE_ITEMS = 100;
const BY_TIME = 'received_at DESC, id DESC';
/** Up to so many rows are sorted rather than looked for among all of a time. */
const RARE_ROWS = 5_000;

/** Events whose id is the first two values, or among the latest ends like the third. */
const WITH_ID = `sequence IN (
  SELECT sequence FROM events WHERE id = ?
  UNION SELECT sequence FROM events WHERE event_id = ?
  UNION SELECT sequence FROM (SELECT sequence, id, event_id FROM events ORDER BY sequence DESC LIMIT 10000) AS latest
    WHERE COALESCE(event_id, id) LIKE ? ESCAPE '!')`;

/**
 * A page in order of arrival, where a completed event is new; of a time, in the order of its first receipt, which alone
 * an index can find. Superseded events are left out.
 */
export async function readEvents<R extends PlacedRow>(
  database: Queryable,
  columns: string,
  filter: EventFilter,
  sinks: EventSinks,
): Promise<Page<R>> {
  const { since, until } = filter;
  const after = { sequence: undefined, receivedAt: undefined, key: undefined, ...filter.after };
  const page = { itemsMax: PAGE_ITEMS, toItem: (row: R) => row };
  const select = `SELECT ${columns} FROM events`;
  if (since === undefined && until === undefined) {
    const conditions: SqlCondition[] = [...conditionsOf(filter, sinks), ['sequence < ?', after.sequence]];
    const cursorOf = ({ sequence }: R): string => String(sequence);
    return readPage<R, R>(database, { ...page, select, conditions, orderBy: 'sequence DESC', cursorOf });
  }
  const isCommon = await isCommonIn(database, filter, sinks);
  const conditions: SqlCondition[] = [
    ...conditionsOf(filter, sinks, isCommon),
    ['received_at >= ?', since],
    ['received_at < ?', until],
    ['(received_at, id) < (?, ?)', after.receivedAt, after.key],
  ];
  const ordered = { ...page, orderBy: BY_TIME, cursorOf: placeOf };
  if (!isCommon) return readPage<R, R>(database, { ...ordered, select, conditions });
  const parameters: SqlValue[] = [];
  const halves = ['NULL', 'NOT NULL'].map((payload, index) => {
    const where = whereOf([[`payload IS ${payload}`], ...conditions], parameters);
    return `SELECT * FROM (${select} ${where} ORDER BY ${BY_TIME} LIMIT ${PAGE_ITEMS + 1}) AS half${index}`;
  });
  const both = `SELECT * FROM (${halves.join(' UNION ALL ')}) AS events`;
  return readPage<R, R>(database, { ...ordered, select: both, parameters, conditions: [] });
}

/**
 * True if the events that match are best looked for among all of a time, of which those with a payload and those without
 * have an index each; those of a hirer have one together, and rare ones are soon sorted.
 */
async function isCommonIn(
  database: Queryable,
  { id, hirer, state, type }: EventFilter,
  { own }: EventSinks,
): Promise<boolean> {
  if (id !== undefined || hirer !== undefined) return false;
  const hasOwn = own.length > 0;
  if (hasOwn && state !== undefined && state !== 'delivered' && state !== 'stored') return false;
  const values = Object.entries({ type, ...(!hasOwn && { state }) }).filter(
    ([, value]) => value !== undefined,
  );
  for (const [column, value] of values) {
    const [row] = await database.query<{ count: number }>(
      `SELECT COUNT(*) AS count FROM (SELECT 1 FROM events WHERE ${column} = $1 LIMIT ${RARE_ROWS}) AS rare`,
      [value!],
    );
    if (row!.count < RARE_ROWS) return false;
  }
  return true;
}

/** @param isCommon no index is used for the state and type */
function conditionsOf(
  { state, type, hirer, id }: EventFilter,
  sinks: EventSinks,
  isCommon = false,
): SqlCondition[] {
  const states: SqlCondition[] =
    state === undefined
      ? []
      : isCommon && sinks.own.length === 0
        ? [["state || '' = ?", state]]
        : inState(state, sinks);
  return [
    ...states,
    [isCommon ? "type || '' = ?" : 'type = ?', type],
    ['hirer_id = ?', hirer],
    [WITH_ID, id, id, id && `%${escapeLike(id)}`],
  ];
}

function placeOf({ received_at: receivedAt, id }: PlacedRow): string {
  return `${receivedAt}-${id}`;
}

/** The text as itself in a `LIKE … ESCAPE '!'`. */
function escapeLike(text: string): string {
  return text.replaceAll(/[!%_]/g, '!$&');
}
