import { Injectable } from '@nestjs/common';
import { parseExact } from '../../json/parse-json.js';
import { Database, type Row } from '../../storage/database.js';
import { hirersIn, readPage, type Page, type SqlCondition } from '../../storage/lists/page.js';
import { EVENT_COLUMNS, type EventState, type ReceivedEvent } from '../webhook-event.js';
import { readAttempts, type DeliveryAttempt } from './deliveries.js';
import { EventSinks } from './event-sinks.js';

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

/** The state of an event at one sink. Times are ISO 8601. */
interface SinkState {
  readonly sink: string;
  /** `stored` where the sink does not get it. */
  readonly state: EventState;
  /** Attempts since it was queued. */
  readonly attempts: number;
  /** When it is next delivered. */
  readonly dueAt: string | null;
  readonly lastFailure: string | null;
  /** `webhook-id` of its deliveries. */
  readonly webhookId: string;
}

/** An event in the ops listing (docs/events.md). Its state, attempts, due time and failure are the most urgent sink's. */
export interface EventRecord extends Omit<SinkState, 'sink'>, Omit<ReceivedEvent, 'payload'> {
  readonly receivedAt: string;
  /** How many times the upstream sent it again. */
  readonly repeats: number;
  /** Its state at each sink, if there are several. */
  readonly sinks?: readonly SinkState[];
  /** Null after `EVENT_RETENTION_DAYS`; absent where it was not asked for. */
  readonly payload?: unknown;
}

/** One event with the latest attempts to deliver it, ten for each sink, the latest first. */
export interface EventWithAttempts extends EventRecord {
  readonly history: readonly (Omit<DeliveryAttempt, 'time'> & { time: string; sink: string })[];
}

type EventRow = Row &
  Omit<ReceivedEvent, 'payload'> & {
    sequence: number;
    receivedAt: number;
    copies: number;
    payload?: string | null;
  };

type DeliveryRow = Row &
  Omit<SinkState, 'dueAt' | 'webhookId'> & {
    readonly event: number;
    readonly dueAt: number | null;
    readonly webhookId: string | null;
    readonly history: string | null;
  };
type DeliveryRows = ReadonlyMap<number, readonly DeliveryRow[]>;

const PAGE_ITEMS = 100;
const COLUMNS = `${EVENT_COLUMNS}, sequence, received_at AS "receivedAt", copies`;
/** States of an event at several sinks: the first of these that one has is that of the event. */
const BY_URGENCY: readonly EventState[] = ['dead', 'failed', 'pending', 'delivered', 'stored'];
/** Events that have the id, or came with it. */
const WITH_ID = `events.sequence IN (
  SELECT sequence FROM events WHERE id = ? UNION SELECT sequence FROM events WHERE shared_id = ?)`;

/** Lists stored events with their state at every sink. */
@Injectable()
export class EventRecords {
  constructor(
    private readonly database: Database,
    private readonly sinks: EventSinks,
  ) {}

  /** Those that are completed are new. */
  async list(filter: EventFilter): Promise<Page<EventRecord>> {
    const { state, type, hirer, id, since, until, after, withoutPayload } = filter;
    const isAlone = type === undefined && hirer === undefined && id === undefined;
    const { from, place, conditions } = inState(state, isAlone);
    // PostgreSQL does not conclude the one bound from the other, and would join from the end
    const bounds = [...new Set([place, 'events.sequence'])];
    const page = await readPage<EventRow, EventRow>(this.database, {
      select: `SELECT ${COLUMNS} ${withoutPayload ? '' : ', payload'} FROM ${from}`,
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
    const deliveries = await this.deliveriesOf(page.items);
    return { ...page, items: page.items.map((row) => this.toRecord(row, deliveries)) };
  }

  async find(id: string): Promise<EventWithAttempts | undefined> {
    const sql = `SELECT ${COLUMNS}, payload FROM events WHERE id = $1`;
    const [row] = await this.database.query<EventRow>(sql, [id]);
    if (!row) return undefined;
    const deliveries = await this.deliveriesOf([row]);
    const history = [...deliveries.values()]
      .flat()
      .flatMap(({ sink, history: own }) => readAttempts(own).map((attempt) => ({ sink, ...attempt })))
      .sort((a, b) => b.time - a.time)
      .map(({ time, ...attempt }) => ({ time: new Date(time).toISOString(), ...attempt }));
    return { ...this.toRecord(row, deliveries), history };
  }

  hirers(): Promise<string[]> {
    return hirersIn(this.database, 'events');
  }

  private async deliveriesOf(rows: readonly EventRow[]): Promise<DeliveryRows> {
    const found = await this.database.query<DeliveryRow>(
      `SELECT event, sink, state, attempts, last_failure AS "lastFailure", due_at AS "dueAt", webhook_id AS "webhookId",
         history FROM deliveries
       WHERE event :among`,
      [JSON.stringify(rows.map(({ sequence }) => sequence))],
    );
    return Map.groupBy(found, ({ event }) => event);
  }

  private toRecord(row: EventRow, deliveries: DeliveryRows): EventRecord {
    const { sequence, copies, receivedAt, payload, ...event } = row;
    const own = new Map(deliveries.get(sequence)?.map((delivery) => [delivery.sink, delivery]));
    const names = [...new Set([...this.sinks.names, ...own.keys()])];
    const states = names.map((name) => toSinkState(name, row.id, own.get(name)));
    return {
      ...event,
      receivedAt: new Date(receivedAt).toISOString(),
      ...overall(states, row.id),
      repeats: Math.max(0, copies - 1),
      ...((this.sinks.areSeveral || names.length > 1) && { sinks: states }),
      payload: typeof payload === 'string' ? parseExact(payload) : payload,
    };
  }
}

function toSinkState(sink: string, id: string, row: DeliveryRow | undefined): SinkState {
  const { state = 'stored', attempts = 0, dueAt = null, lastFailure = null, webhookId } = row ?? {};
  const due = dueAt === null ? null : new Date(dueAt).toISOString();
  return { sink, state, attempts, dueAt: due, lastFailure, webhookId: webhookId ?? id };
}

/** The state of an event as a whole: the most urgent one, with its failure and its next attempt. */
function overall(states: readonly SinkState[], id: string): Omit<SinkState, 'sink'> {
  const urgent = states.toSorted((a, b) => BY_URGENCY.indexOf(a.state) - BY_URGENCY.indexOf(b.state)).at(0);
  const due = states.flatMap(({ dueAt }) => dueAt ?? []).sort();
  return {
    webhookId: states[0]?.webhookId ?? id,
    state: urgent?.state ?? 'stored',
    attempts: Math.max(0, ...states.map(({ attempts }) => attempts)),
    dueAt: due[0] ?? null,
    lastFailure: urgent?.lastFailure ?? null,
  };
}

/** Events stored from one time on and before another: their places, in `column`, follow the time. */
export function atTime(since: number | undefined, until: number | undefined, column: string): SqlCondition[] {
  const place = `COALESCE((SELECT sequence FROM events AS timed WHERE timed.stored_at >= ?
    ORDER BY timed.stored_at, timed.sequence LIMIT 1), ${Number.MAX_SAFE_INTEGER})`;
  return [
    [`${column} >= ${place}`, since],
    [`${column} < ${place}`, until],
  ];
}

/**
 * Where to look for events by their state as a whole: among the deliveries in it, since these are few, or there is
 * nothing else to look for. `place` is the column whose index has the order of the list.
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
