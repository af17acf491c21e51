import { Injectable } from '@nestjs/common';
import { EventOwners } from '../../operations/answers/ownership.js';
import { parseExact } from '../../json/exact-json.js';
import { Database, type Row } from '../../storage/database.js';
import { isStorable } from '../../storage/lists/listing-query.js';
import { distinctValues, type Page } from '../../storage/lists/page.js';
import { EventSinks } from './event-sinks.js';
import { EVENT_COLUMNS, type EventState, type EventTrust } from '../webhook-event.js';
import { readAttempts, type DeliveryAttempt } from './deliveries.js';
import { BY_URGENCY, readEvents, type EventFilter } from './event-page.js';

/** The state of an event at one sink. Times are ISO 8601. */
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

/**
 * An event in the ops listing (docs/events.md). Times are ISO 8601; state, attempts, due time and failure are those of
 * the most urgent sink.
 */
export interface EventRecord extends Omit<SinkState, 'sink'> {
  readonly id: string;
  readonly trust: EventTrust;
  readonly type: string;
  readonly hirerId: string | null;
  readonly subscriptionId: string | null;
  /** Of the webhook that delivered it; null for an event found by reconciliation. */
  readonly requestId: string | null;
  readonly createDateTime: string | null;
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
  readonly history: readonly AttemptRecord[];
}

/** An attempt at a sink. `time` is ISO 8601. */
type AttemptRecord = Omit<DeliveryAttempt, 'time'> & { readonly time: string; readonly sink: string };

type EventFields = Omit<EventRecord, keyof SinkState | 'receivedAt' | 'repeats' | 'sinks' | 'payload'> & {
  readonly receivedAt: number;
  readonly copies: number;
  readonly payload?: string | null;
};
type EventRow = Row & EventFields & { readonly sequence: number };

type DeliveryRow = Row &
  Omit<SinkState, 'dueAt' | 'webhookId'> & {
    readonly event: number;
    readonly dueAt: number | null;
    readonly webhookId: string | null;
    readonly history: string | null;
  };

const HIRERS_MAX = 1_000;
const COLUMNS_WITHOUT_PAYLOAD = `${EVENT_COLUMNS}, sequence, received_at AS "receivedAt", copies`;
const COLUMNS = `${COLUMNS_WITHOUT_PAYLOAD}, payload`;

/** Lists stored events with their state at every sink. */
@Injectable()
export class EventRecords extends EventOwners {
  constructor(
    private readonly database: Database,
    private readonly sinks: EventSinks,
  ) {
    super();
  }

  /** A page of events, the latest first: those that are completed are new. */
  async list(filter: EventFilter): Promise<Page<EventRecord>> {
    const columns = filter.withoutPayload ? COLUMNS_WITHOUT_PAYLOAD : COLUMNS;
    const page = await readEvents<EventRow>(this.database, columns, filter);
    const deliveries = await this.deliveriesOf(page.items);
    return {
      ...page,
      items: page.items.map(({ sequence, ...row }) => this.toRecord(row, deliveries.get(sequence) ?? [])),
    };
  }

  async find(id: string): Promise<EventWithAttempts | undefined> {
    const [found] = await this.database.query<EventRow>(`SELECT ${COLUMNS} FROM events WHERE id = $1`, [id]);
    if (!found) return undefined;
    const { sequence, ...row } = found;
    const own = (await this.deliveriesOf([found])).get(sequence) ?? [];
    return { ...this.toRecord(row, own), history: historyOf(own) };
  }

  /** The hirers that events are about, in order; 1,000 at most. */
  hirers(): Promise<string[]> {
    return distinctValues(this.database, 'events', 'hirer_id', HIRERS_MAX);
  }

  /**
   * The record outlives the event's payload. An event that came otherwise than signed, or for several hirers, proves
   * nothing. The id is the caller's text, which not every database can hold.
   */
  override async hirerOf(eventId: string): Promise<string | undefined> {
    if (!isStorable(eventId)) return undefined;
    const [row] = await this.database.query<{ hirer_id: string | null }>(
      `SELECT hirer_id FROM events WHERE id = $1 AND trust = 'signed'
         AND NOT EXISTS (SELECT 1 FROM events AS other WHERE other.shared_id = $1)`,
      [eventId],
    );
    return row?.hirer_id ?? undefined;
  }

  private async deliveriesOf(rows: readonly EventRow[]): Promise<Map<number, DeliveryRow[]>> {
    const { sql } = this.database;
    const found = await this.database.query<DeliveryRow>(
      `SELECT event, sink, state, attempts, last_failure AS "lastFailure", due_at AS "dueAt", webhook_id AS "webhookId",
         history FROM deliveries
       WHERE ${sql.isAmong('event', `SELECT CAST(value->>0 AS BIGINT) FROM ${sql.rows('$1')}`)}`,
      [JSON.stringify(rows.map(({ sequence }) => [sequence]))],
    );
    return Map.groupBy(found, ({ event }) => event);
  }

  private toRecord(row: EventFields, deliveries: readonly DeliveryRow[]): EventRecord {
    const { copies, receivedAt, payload, ...event } = row;
    const names = new Set([...this.sinks.names, ...deliveries.map(({ sink }) => sink)]);
    const states = [...names].map((name) =>
      toSinkState(
        name,
        row.id,
        deliveries.find(({ sink }) => sink === name),
      ),
    );
    return {
      ...event,
      receivedAt: new Date(receivedAt).toISOString(),
      ...overall(states, row.id),
      repeats: Math.max(0, copies - 1),
      ...((this.sinks.areSeveral || names.size > 1) && { sinks: states }),
      payload: typeof payload === 'string' ? parseExact(payload) : payload,
    };
  }
}

function toSinkState(sink: string, id: string, row: DeliveryRow | undefined): SinkState {
  const { state = 'stored', attempts = 0, dueAt, lastFailure = null, webhookId } = row ?? {};
  return {
    sink,
    state,
    attempts,
    dueAt: dueAt == null ? null : new Date(dueAt).toISOString(),
    lastFailure,
    webhookId: webhookId ?? id,
  };
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

function historyOf(deliveries: readonly DeliveryRow[]): AttemptRecord[] {
  return deliveries
    .flatMap(({ sink, history }) => readAttempts(history).map((attempt) => ({ sink, ...attempt })))
    .sort((a, b) => b.time - a.time)
    .map(({ time, ...attempt }) => ({ time: new Date(time).toISOString(), ...attempt }));
}
