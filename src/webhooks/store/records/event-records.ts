import { Injectable } from '@nestjs/common';
import { Default } from '../../../config/default.js';
import { Database, type Queryable } from '../../../storage/database.js';
import { distinctValues } from '../../../storage/lists/distinct-values.js';
import type { Page } from '../../../storage/lists/page.js';
import { parseExact } from '../../../json/parse-exact.js';
import { readAttempts, type DeliveryAttempt } from './delivery-attempts.js';
import { readEvents, type EventFilter, type PlacedRow } from './event-page.js';
import { DEFAULT_SINK, EventSinks } from '../event-sinks.js';
import { FROM_THE_START } from '../event-sql.js';
import { lockEvents } from '../insert/insert-events.js';
import { queueDeliveries } from '../queue-deliveries.js';
import { overall, readSinkStates, toSinkState, type SinkState, type StateRow } from './sink-states.js';
import type { EventState, EventTrust } from '../webhook-event.js';

/** An event in the ops listing (docs/webhooks.md). Times are ISO 8601. */
export interface EventRecord {
  readonly id: string;
  /** `webhook-id` of its deliveries. */
  readonly webhookId: string;
  readonly trust: EventTrust;
  readonly type: string;
  readonly hirerId: string | null;
  readonly subscriptionId: string | null;
  /** Of the webhook that delivered it; null for an event found by reconciliation. */
  readonly requestId: string | null;
  readonly createDateTime: string | null;
  readonly receivedAt: string;
  readonly state: EventState;
  /** Attempts since the event was received or last redelivered. */
  readonly attempts: number;
  /** How often the upstream sent it again. */
  readonly repeats: number;
  /** When it is next delivered. */
  readonly dueAt: string | null;
  readonly lastFailure: string | null;
  /** Where there are several sinks: what became of it at each. The members above then tell the most urgent. */
  readonly sinks?: readonly SinkState[];
  /** Null after `EVENT_RETENTION_DAYS`; absent where it was not asked for. */
  readonly payload?: unknown;
}

/** One event with the latest attempts to deliver it, ten for each sink, the latest first. */
export interface EventWithAttempts extends EventRecord {
  readonly history: readonly AttemptRecord[];
}

/** An attempt, and the sink in whose queue the event stood. `time` is ISO 8601. */
export type AttemptRecord = Omit<DeliveryAttempt, 'time'> & { readonly time: string; readonly sink: string };

/** The result of asking for a redelivery. */
export type Redelivery =
  | { readonly kind: 'queued'; readonly event: EventRecord }
  | { readonly kind: 'unknown' | 'purged' | 'unwanted' };

interface EventRow extends StateRow, PlacedRow {
  state: EventState;
  id: string;
  trust: EventTrust;
  type: string;
  hirer_id: string | null;
  subscription_id: string | null;
  request_id: string | null;
  create_date_time: string | null;
  received: number;
  payload?: string | null;
}

const HIRERS_MAX = 1_000;
const COLUMNS_WITHOUT_PAYLOAD =
  'sequence, id, webhook_id, trust, type, hirer_id, subscription_id, request_id, create_date_time, received_at, received, state, attempts, last_failure, due_at';
const COLUMNS = `${COLUMNS_WITHOUT_PAYLOAD}, payload`;

/** Lists and redelivers stored events. */
@Injectable()
export class EventRecords {
  constructor(
    private readonly database: Database,
    @Default() private readonly now: () => number = Date.now,
    private readonly sinks: EventSinks = EventSinks.SINGLE,
  ) {}

  /** A page of events, the latest first: those that are completed are new, unless a time is asked for. */
  async list(filter: EventFilter): Promise<Page<EventRecord>> {
    const columns = filter.withoutPayload ? COLUMNS_WITHOUT_PAYLOAD : COLUMNS;
    const page = await readEvents<EventRow>(this.database, columns, filter, this.sinks);
    return { ...page, items: await this.toRecords(page.items) };
  }

  async find(id: string): Promise<EventWithAttempts | undefined> {
    const [row] = await this.database.query<EventRow>(`SELECT ${COLUMNS} FROM events WHERE id = $1`, [id]);
    if (!row) return undefined;
    const [[record], history] = await Promise.all([this.toRecords([row]), this.historyOf(row.id)]);
    return { ...record!, history };
  }

  private async historyOf(key: string): Promise<AttemptRecord[]> {
    const rows = await this.database.query<{ sink: string; history: string }>(
      `SELECT '${DEFAULT_SINK}' AS sink, history FROM events WHERE id = $1 AND history IS NOT NULL
       UNION ALL SELECT sink, history FROM event_deliveries WHERE event_key = $1 AND history IS NOT NULL`,
      [key],
    );
    return rows
      .flatMap(({ sink, history }) => readAttempts(history).map((attempt) => ({ sink, ...attempt })))
      .sort((a, b) => b.time - a.time)
      .map(({ time, ...attempt }) => ({ time: new Date(time).toISOString(), ...attempt }));
  }

  /** The hirers that events are about, in order; 1,000 at most. */
  hirers(): Promise<string[]> {
    return distinctValues(this.database, 'events', 'hirer_id', HIRERS_MAX);
  }

  /**
   * Delivers an event again, to every target that wants it or to one sink; the result of a delivery under way is ignored.
   * @param newId delivers it as new, under an id that begins so; under the same one without it
   */
  redeliver(id: string, newId?: string, sink?: string): Promise<Redelivery> {
    return this.database.transaction(async (tx) => {
      await lockEvents(tx);
      const select = `SELECT ${COLUMNS} FROM events WHERE id = $1`;
      const [known] = await tx.query<EventRow>(select, [id]);
      if (!known) return { kind: 'unknown' };
      if (known.payload === null) return { kind: 'purged' };
      const queued = await this.queue(tx, id, newId, sink);
      if (queued === 0 && sink !== undefined) return { kind: 'unwanted' };
      const [row] = await tx.query<EventRow>(select, [id]);
      return { kind: 'queued', event: (await this.toRecords([row!], tx))[0]! };
    });
  }

  private async queue(
    tx: Queryable,
    id: string,
    newId: string | undefined,
    sink: string | undefined,
  ): Promise<number> {
    const { hasDefault, own } = this.sinks.chosen(sink);
    let queued = 0;
    if (hasDefault) {
      const rows = await tx.query(
        `UPDATE events SET ${FROM_THE_START}, due_at = $1, repeated = 2, webhook_id = CAST($2 AS TEXT) || ':' || sequence
         WHERE payload IS NOT NULL AND id = $3 RETURNING id`,
        [this.now(), newId ?? null, id],
      );
      queued += rows.length;
    }
    const queueing = { dueAt: this.now(), redelivery: { newId, of: undefined } };
    for (const one of own) queued += await queueDeliveries(tx, one, [['id = ?', id]], queueing);
    return queued;
  }

  private async toRecords(
    rows: readonly EventRow[],
    from: Queryable = this.database,
  ): Promise<EventRecord[]> {
    const keys = rows.map(({ id }) => id);
    const states = await readSinkStates(from, keys, this.sinks);
    return rows.map((row) => this.toRecord(row, states.get(row.id)));
  }

  private toRecord(row: EventRow, own: readonly SinkState[] | undefined): EventRecord {
    const byDefault = toSinkState(DEFAULT_SINK, row, row.id);
    const { webhookId, state, attempts, dueAt, lastFailure } = byDefault;
    return {
      id: row.id,
      webhookId,
      trust: row.trust,
      type: row.type,
      hirerId: row.hirer_id,
      subscriptionId: row.subscription_id,
      requestId: row.request_id,
      createDateTime: row.create_date_time,
      receivedAt: new Date(row.received_at).toISOString(),
      state,
      attempts,
      dueAt,
      lastFailure,
      repeats: Math.max(0, row.received - 1),
      ...(own && {
        ...overall([byDefault, ...own]),
        sinks: this.sinks.hasDefault ? [byDefault, ...own] : own,
      }),
      payload: typeof row.payload === 'string' ? parseExact(row.payload) : row.payload,
    };
  }
}
