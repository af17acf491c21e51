import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { BffError } from '../../errors/bff-error.js';
import { Database, type SqlValue, type Transaction } from '../../storage/database.js';
import { whereOf, type SqlCondition } from '../../storage/lists/page.js';
import { queue, type Queued } from './deliveries.js';
import { EventSinks, wants, type SinkFilter } from './event-sinks.js';
import { lockEvents } from './insert/insert-events.js';
import { atTime } from './records/event-page.js';

/** States that an event can be redelivered from by filter: pending events are in the queue already. */
export const REDELIVERABLE_STATES = ['failed', 'dead', 'delivered', 'stored'] as const;

/** Which events to redeliver; the state must be named, so that nothing is sent twice by mistake. */
export interface RedeliveryFilter {
  readonly state: (typeof REDELIVERABLE_STATES)[number];
  readonly type?: string | undefined;
  readonly hirer?: string | undefined;
  /**
   * The sink that it is to go to, and whose state of the event counts. Without it, every sink, each by its own state; and
   * `stored` is an event that no sink got.
   */
  readonly sink?: string | undefined;
  /** Stored from then on, epoch milliseconds. */
  readonly since?: number | undefined;
  /** Stored before, epoch milliseconds. */
  readonly until?: number | undefined;
}

/** Some sinks, and the events after one place up to another. */
interface Part {
  readonly sinks: readonly SinkFilter[];
  readonly after: number;
  readonly to: number;
}

type MatchingRow = { sequence: number; type: string; hirer_id: string | null };

/** Most deliveries of one redelivery. */
const REDELIVERED_MAX = 100_000;
/** Events of one transaction, so that webhooks can be stored in between. */
const EVENTS_AT_ONCE = 500;
/** Events read by one statement, so that it blocks nothing. */
const PLACES_AT_ONCE = 20_000;
/** Interval between many redeliveries, so that new events are delivered in between. */
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
    const total = await this.eachPart(filter, async (part) => {
      const { select, parameters } = matching(filter, part);
      const rows = await this.database.query<MatchingRow & { count: number }>(
        `SELECT type, hirer_id, COUNT(*) AS count FROM (${select}) AS matching GROUP BY type, hirer_id`,
        parameters,
      );
      return { count: rows.reduce((sum, row) => sum + row.count * wantingOf(row, part).length, 0) };
    });
    if (total <= REDELIVERED_MAX) return total;
    throw new BffError('invalid_request', {
      detail: `More than ${REDELIVERED_MAX.toLocaleString('en-GB')} events match. Narrow the filter, by a time range for example.`,
    });
  }

  /** Queues the events that match by now, due one after the other. @returns as {@link count} does @throws as it does */
  async redeliverAll(filter: RedeliveryFilter, asNew: boolean): Promise<number> {
    await this.count(filter);
    const id = asNew ? newId() : undefined;
    return this.eachPart(filter, (part, total) =>
      this.database.transaction(async (tx) => {
        await lockEvents(tx);
        const { select, parameters } = matching(filter, part);
        const rows = await tx.query<MatchingRow>(`${select} ORDER BY 1 LIMIT ${EVENTS_AT_ONCE}`, parameters);
        const queued = rows
          .flatMap((row) => wantingOf(row, part).map(({ name }) => ({ event: row.sequence, sink: name })))
          .map((place, index) => ({ ...place, delayMs: (total + index) * SPACING_MS }));
        await queueAgain(tx, queued, id);
        const end = rows.length === EVENTS_AT_ONCE ? rows.at(-1)!.sequence : part.to;
        return { count: queued.length, end };
      }),
    );
  }

  /**
   * Does a work for one part of the events after the other: for each sink by itself, since each has a state of its own, but
   * for those together that no sink got. It ends once more than {@link REDELIVERED_MAX} matched: a redelivery comes there if
   * more match than when they were counted.
   * @param work returns how many matched, and where it ended if that is before the end of its part
   * @returns how many matched
   */
  private async eachPart(
    filter: RedeliveryFilter,
    work: (part: Part, total: number) => Promise<{ readonly count: number; readonly end?: number }>,
  ): Promise<number> {
    const chosen = this.sinks.chosen(filter.sink);
    const { first, last } = await this.placesOf(filter.state);
    let total = 0;
    for (const sinks of isWhole(filter) ? [chosen] : chosen.map((sink) => [sink])) {
      for (let after = first - 1; after < last;) {
        const to = Math.min(after + PLACES_AT_ONCE, last);
        const { count, end = to } = await work({ sinks, after, to }, total);
        total += count;
        after = end;
        if (total > REDELIVERED_MAX) return total;
      }
    }
    return total;
  }

  /** The first and the last place of an event that may be in a state; the last is before the first where there is none. */
  private async placesOf(state: RedeliveryFilter['state']): Promise<{ first: number; last: number }> {
    const isStored = state === 'stored';
    const [place, from] = isStored ? ['sequence', 'events'] : ['event', 'deliveries WHERE state = $1'];
    const [row] = await this.database.query<{ first: number | null; last: number | null }>(
      `SELECT (SELECT MIN(${place}) FROM ${from}) AS first, (SELECT MAX(${place}) FROM ${from}) AS last`,
      isStored ? [] : [state],
    );
    return { first: row?.first ?? 1, last: row?.last ?? 0 };
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

/** True if the state of an event at all sinks counts: that has an index of its own. */
function isWhole({ state, sink }: RedeliveryFilter): boolean {
  return state === 'stored' && sink === undefined;
}

function wantingOf({ type, hirer_id: hirerId }: MatchingRow, { sinks }: Part): readonly SinkFilter[] {
  return sinks.filter((sink) => wants(sink, { type, hirerId }));
}

/** The events of a part that match, whether or not its sinks want them. */
function matching(
  filter: RedeliveryFilter,
  { sinks, after, to }: Part,
): { readonly select: string; readonly parameters: SqlValue[] } {
  const { state, type, hirer, since, until } = filter;
  const isStored = state === 'stored';
  const place = isStored ? 'events.sequence' : 'deliveries.event';
  const atSink = 'deliveries.event = events.sequence AND deliveries.sink = ?';
  const sink = sinks[0]!.name;
  const inState: SqlCondition = isStored
    ? [`(SELECT 1 FROM deliveries WHERE ${atSink} LIMIT 1) IS NULL`, sink] // looked up for each
    : [`${atSink} AND deliveries.state = ?`, sink, state];
  const parameters: SqlValue[] = [];
  const where = whereOf(
    [
      isWhole(filter) ? ['events.queued = 0'] : inState,
      ['events.payload IS NOT NULL'],
      ['events.type = ?', type],
      ['events.hirer_id = ?', hirer],
      ...atTime(since, until, place),
      [`${place} > ?`, after],
      [`${place} <= ?`, to],
    ],
    parameters,
  );
  const from = isStored ? 'events' : 'deliveries CROSS JOIN events';
  return { select: `SELECT ${place} AS sequence, type, hirer_id FROM ${from} ${where}`, parameters };
}
