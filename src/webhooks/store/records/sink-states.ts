import type { Queryable, Row } from '../../../storage/database.js';
import type { SqlCondition } from '../../../storage/lists/page.js';
import { DEFAULT_SINK, type EventSinks, type OwnSink } from '../event-sinks.js';
import { placeholders } from '../event-sql.js';
import type { EventState } from '../webhook-event.js';

/** What became of an event at one sink. Times are ISO 8601. */
export interface SinkState {
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

/** The columns of a queue that tell what became of an event. */
export interface StateRow extends Row {
  state: EventState;
  attempts: number;
  last_failure: string | null;
  due_at: number | null;
  webhook_id: string | null;
}

interface DeliveryRow extends StateRow {
  sink: string;
  event_key: string;
}

/** States of an event at several sinks: the first of these that one has is that of the event. */
const BY_URGENCY: readonly EventState[] = ['dead', 'failed', 'pending', 'delivered', 'stored'];

/** What became of events at the sinks that have queues of their own, by the keys of the events. */
export async function readSinkStates(
  database: Queryable,
  keys: readonly string[],
  { own }: EventSinks,
): Promise<ReadonlyMap<string, readonly SinkState[]>> {
  if (own.length === 0 || keys.length === 0) return new Map();
  const rows = await database.query<DeliveryRow>(
    `SELECT sink, event_key, state, attempts, last_failure, due_at, webhook_id FROM event_deliveries
     WHERE event_key IN (${placeholders(keys.length)})`,
    keys,
  );
  const known = new Map(rows.map((row) => [`${row.sink} ${row.event_key}`, row]));
  const stateOf = (sink: OwnSink, key: string): SinkState => {
    const row = known.get(`${sink.name} ${key}`);
    return toSinkState(sink.name, row ?? NOT_QUEUED, key);
  };
  return new Map(keys.map((key) => [key, own.map((sink) => stateOf(sink, key))]));
}

const NOT_QUEUED: StateRow = {
  state: 'stored',
  attempts: 0,
  last_failure: null,
  due_at: null,
  webhook_id: null,
};

/** @param key the key of the event */
export function toSinkState(sink: string, row: StateRow, key: string): SinkState {
  return {
    sink,
    state: row.state,
    attempts: row.attempts,
    dueAt: row.due_at === null ? null : new Date(row.due_at).toISOString(),
    lastFailure: row.last_failure,
    webhookId: row.webhook_id ?? key,
  };
}

/** What became of an event as a whole: the most urgent of its states, with its failure, and when it is next delivered. */
export function overall(states: readonly [SinkState, ...SinkState[]]): Omit<SinkState, 'sink' | 'webhookId'> {
  const urgent = states.reduce((a, b) => (rankOf(b.state) < rankOf(a.state) ? b : a));
  const due = states.flatMap(({ dueAt }) => (dueAt === null ? [] : [dueAt])).sort();
  return {
    state: urgent.state,
    attempts: Math.max(...states.map(({ attempts }) => attempts)),
    dueAt: due[0] ?? null,
    lastFailure: urgent.lastFailure,
  };
}

function rankOf(state: EventState): number {
  return BY_URGENCY.indexOf(state);
}

/** The condition that an event of `events` is in this state as a whole. */
export function inState(state: EventState, { own }: EventSinks): SqlCondition[] {
  if (own.length === 0) return [['state = ?', state]];
  const names = own.map(({ name }) => name);
  const at = `sink IN (${names.map(() => '?').join(', ')})`;
  const isRare = rankOf(state) < rankOf('delivered');
  const some = isRare
    ? `id IN (SELECT event_key FROM event_deliveries WHERE ${at} AND state = ?)`
    : `EXISTS (SELECT 1 FROM event_deliveries WHERE event_key = events.id AND ${at} AND state = ?)`;
  const more = BY_URGENCY.slice(0, rankOf(state)).map((one) => `'${one}'`);
  const conditions: SqlCondition[] = [[`(state = ? OR ${some})`, state, ...names, state]];
  if (more.length === 0) return conditions;
  const none = `NOT EXISTS (SELECT 1 FROM event_deliveries
    WHERE event_key = events.id AND ${at} AND event_deliveries.state IN (${more.join(', ')}))`;
  return [...conditions, [`events.state NOT IN (${more.join(', ')}) AND ${none}`, ...names]];
}

/** The condition that an event of `events` is in this state at one sink; at another than the default one, `stored` is one that it was never to get. */
export function inStateAt(sink: string, state: EventState): SqlCondition {
  if (sink === DEFAULT_SINK) return ['state = ?', state];
  const delivery = 'SELECT 1 FROM event_deliveries WHERE event_key = events.id AND sink = ?';
  return state === 'stored'
    ? [`NOT EXISTS (${delivery} AND event_deliveries.state <> 'stored')`, sink]
    : [`EXISTS (${delivery} AND event_deliveries.state = ?)`, sink, state];
}
