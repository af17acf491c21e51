import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { BffError } from '../../errors/bff-error.js';
import { Database, type SqlValue, type Transaction } from '../../storage/database.js';
import { whereOf, type SqlCondition } from '../../storage/lists/page.js';
import { queue, type Queued } from './deliveries.js';
import { EventSinks, wantedBy, type SinkFilter } from './event-sinks.js';
import { lockEvents } from './insert/insert-events.js';
import { atTime } from './records/event-page.js';

/** States that an event can be redelivered from by filter: pending events are on their way anyway. */
export const REDELIVERABLE_STATES = ['failed', 'dead', 'delivered', 'stored'] as const;

/** Which events to redeliver; the state must be named, so that nothing is sent twice by mistake. */
export interface RedeliveryFilter {
  readonly state: (typeof REDELIVERABLE_STATES)[number];
  readonly type?: string | undefined;
  readonly hirer?: string | undefined;
  /** The sink that it is to go to, and whose state of the event counts; every sink, each by its own state, without it. */
  readonly sink?: string | undefined;
  /** Stored from then on, epoch milliseconds. */
  readonly since?: number | undefined;
  /** Stored before, epoch milliseconds. */
  readonly until?: number | undefined;
}

/** Most deliveries of one redelivery. */
const REDELIVERED_MAX = 100_000;
/** Events of one transaction, so that webhooks can be stored in between. */
const EVENTS_AT_ONCE = 500;
/** From one to the next of many, so that new events are delivered between them. */
const SPACING_MS = 10;

/** Queues stored events for delivery again; the results of deliveries under way are ignored. */
@Injectable()
export class EventRedelivery {
  constructor(
    private readonly database: Database,
    private readonly sinks: EventSinks,
  ) {}

  /**
   * One event, for every sink that wants it or for one.
   * @param asNew delivers it under a new id
   * @throws BffError `invalid_request` where the sink does not want it, or there is none; `not_found`
   */
  async redeliver(id: string, asNew: boolean, sink: string | undefined): Promise<void> {
    const names = this.sinks.chosen(sink).map(({ name }) => name);
    await this.database.transaction(async (tx) => {
      await lockEvents(tx);
      const [event] = await tx.query<{
        sequence: number;
        type: string;
        hirer_id: string | null;
        has: number;
      }>(
        `SELECT sequence, type, hirer_id, CASE WHEN payload IS NULL THEN 0 ELSE 1 END AS has FROM events WHERE id = $1`,
        [id],
      );
      if (!event) throw new BffError('not_found');
      if (event.has === 0) {
        throw new BffError('not_found', { detail: 'The payload of this event has been deleted.' });
      }
      const wanting = this.sinks.wanting({ type: event.type, hirerId: event.hirer_id });
      const queued = names
        .filter((name) => wanting.includes(name))
        .map((name) => ({ event: event.sequence, sink: name }));
      if (queued.length === 0 && sink !== undefined) {
        const message = 'does not take events of this type or hirer';
        throw new BffError('invalid_request', { errors: [{ field: 'sink', message }] });
      }
      await queueAgain(tx, queued, asNew ? newId() : undefined);
    });
  }

  /**
   * How often an event that matches would be queued: once for each sink that it is to go to.
   * @throws BffError `invalid_request` for more than can be redelivered at once, and where there is no such sink
   */
  async count(filter: RedeliveryFilter): Promise<number> {
    let total = 0;
    for (const sink of this.sinks.chosen(filter.sink)) {
      const parameters: SqlValue[] = [];
      const select = matching(filter, sink, parameters);
      const [row] = await this.database.query<{ count: number }>(
        `SELECT COUNT(*) AS count FROM (${select} LIMIT ${REDELIVERED_MAX + 1}) AS matching`,
        parameters,
      );
      total += row!.count;
    }
    if (total <= REDELIVERED_MAX) return total;
    throw new BffError('invalid_request', {
      detail: `More than ${REDELIVERED_MAX.toLocaleString('en-GB')} events match. Narrow the filter, by a time range for example.`,
    });
  }

  /** Queues the events that match by now, due one after the other. @returns as {@link count} does @throws as it does */
  async redeliverAll(filter: RedeliveryFilter, asNew: boolean): Promise<number> {
    await this.count(filter);
    const [last] = await this.database.query<{ sequence: number | null }>(
      'SELECT MAX(sequence) AS sequence FROM events',
    );
    const id = asNew ? newId() : undefined;
    let total = 0;
    for (const sink of this.sinks.chosen(filter.sink)) {
      for (let place = 0, isLast = false; !isLast;) {
        const queued = await this.database.transaction(async (tx) => {
          await lockEvents(tx);
          const parameters: SqlValue[] = [];
          const select = matching(filter, sink, parameters, { from: place, to: last?.sequence ?? 0 });
          const rows = await tx.query<{ sequence: number }>(
            `${select} ORDER BY 1 LIMIT ${EVENTS_AT_ONCE}`,
            parameters,
          );
          const some = rows.map(({ sequence }, index) => ({
            event: sequence,
            sink: sink.name,
            delayMs: (total + index) * SPACING_MS,
          }));
          await queueAgain(tx, some, id);
          return some;
        });
        total += queued.length;
        place = queued.at(-1)?.event ?? 0;
        isLast = queued.length < EVENTS_AT_ONCE;
      }
    }
    return total;
  }
}

function newId(): string {
  return `redelivery:${randomUUID()}`;
}

async function queueAgain(tx: Transaction, queued: readonly Queued[], id: string | undefined): Promise<void> {
  if (queued.length === 0) return;
  const { sql } = tx;
  await tx.query(
    `UPDATE events SET queued = 1 WHERE queued = 0
       AND ${sql.isAmong('sequence', `SELECT CAST(value->>0 AS BIGINT) FROM ${sql.rows('$1')}`)}`,
    [JSON.stringify(queued.map(({ event }) => [event]))],
  );
  await queue(tx, queued, 'operator', { newId: id, isLast: true });
}

/**
 * The events that a sink wants and that match by their state at it, by the column whose index has their order.
 * @param parameters their values are added
 * @param places after the first, up to the other
 */
function matching(
  { state, type, hirer, since, until }: RedeliveryFilter,
  sink: SinkFilter,
  parameters: SqlValue[],
  places?: { readonly from: number; readonly to: number },
): string {
  const isStored = state === 'stored';
  const place = isStored ? 'events.sequence' : 'deliveries.event';
  const atSink: SqlCondition[] = isStored
    ? [['NOT EXISTS (SELECT 1 FROM deliveries WHERE event = events.sequence AND sink = ?)', sink.name]]
    : [
        ['deliveries.event = events.sequence'],
        ['deliveries.sink = ? AND deliveries.state = ?', sink.name, state],
      ];
  const where = whereOf(
    [
      ...atSink,
      ['events.payload IS NOT NULL'],
      ['events.type = ?', type],
      ['events.hirer_id = ?', hirer],
      ...atTime(since, until, place),
      ...wantedBy(sink),
      [`${place} > ?`, places?.from],
      [`${place} <= ?`, places?.to],
    ],
    parameters,
  );
  return `SELECT ${place} AS sequence FROM ${isStored ? 'events' : 'deliveries CROSS JOIN events'} ${where}`;
}
