import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { BffError } from '../../errors/bff-error.js';
import { Database, type Queryable, type SqlValue, type Transaction } from '../../storage/database.js';
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

/** An event that matches: at one sink, or where no sink has it. */
type Match = { sequence: number; type: string; hirerId: string | null; sink: string | null };

/** Most deliveries of one redelivery. */
const REDELIVERED_MAX = 100_000;
/** Matches of one transaction, so that webhooks can be stored in between; more than there are sinks. */
const MATCHES_AT_ONCE = 500;
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
    const chosen = this.sinks.chosen(sink);
    await this.database.transaction(async (tx) => {
      await lockEvents(tx);
      const [event] = await tx.query<Match & { has: number }>(
        `SELECT sequence, type, hirer_id AS "hirerId", NULL AS sink, CASE WHEN payload IS NULL THEN 0 ELSE 1 END AS has
         FROM events WHERE id = $1`,
        [id],
      );
      if (!event) throw new BffError('not_found');
      if (event.has === 0) {
        throw new BffError('not_found', { detail: 'The payload of this event has been deleted.' });
      }
      const queued = placesOf(event, chosen);
      if (queued.length === 0 && sink !== undefined) {
        const message = 'does not take events of this type or hirer';
        throw new BffError('invalid_request', { errors: [{ field: 'sink', message }] });
      }
      await queueAgain(tx, queued, newId(asNew));
    });
  }

  /**
   * How often an event that matches would be queued: once for each sink that it is to go to.
   * @throws BffError `invalid_request` for more than can be redelivered at once, and where there is no such sink
   */
  async count(filter: RedeliveryFilter): Promise<number> {
    const total = await this.eachPart(filter, async (read) => (await read(this.database)).length);
    if (total <= REDELIVERED_MAX) return total;
    throw new BffError('invalid_request', {
      detail: `More than ${REDELIVERED_MAX.toLocaleString('en-GB')} events match. Narrow the filter, by a time range for example.`,
    });
  }

  /** Queues the events that match by now, due one after the other. @returns as {@link count} does @throws as it does */
  async redeliverAll(filter: RedeliveryFilter, asNew: boolean): Promise<number> {
    await this.count(filter);
    const id = newId(asNew);
    return this.eachPart(filter, (read, total) =>
      this.database.transaction(async (tx) => {
        await lockEvents(tx);
        const queued = await read(tx);
        const spaced = queued.map((one, index) => ({ ...one, delayMs: (total + index) * SPACING_MS }));
        await queueAgain(tx, spaced, id);
        return queued.length;
      }),
    );
  }

  /**
   * Does a work for one part of the events after the other, until more than {@link REDELIVERED_MAX} matched: a redelivery
   * comes there if more match than when they were counted.
   * @param work reads the places of the part, and returns how many there are; `total` is that of the parts before
   * @returns how many there are in all
   */
  private async eachPart(
    filter: RedeliveryFilter,
    work: (read: (from: Queryable) => Promise<Queued[]>, total: number) => Promise<number>,
  ): Promise<number> {
    const chosen = this.sinks.chosen(filter.sink);
    const isStored = filter.state === 'stored';
    const [place, from] = isStored ? ['sequence', 'events'] : ['event', 'deliveries WHERE state = $1'];
    const [row] = await this.database.query<{ first: number | null; last: number | null }>(
      `SELECT (SELECT MIN(${place}) FROM ${from}) AS first, (SELECT MAX(${place}) FROM ${from}) AS last`,
      isStored ? [] : [filter.state],
    );
    const last = row?.last ?? 0;
    let after = (row?.first ?? 1) - 1;
    const read = async (source: Queryable): Promise<Queued[]> => {
      const to = Math.min(after + PLACES_AT_ONCE, last);
      const rows = await readMatches(source, filter, chosen, after, to);
      // the last event may match at further sinks: it is left to the next part, so that each is queued once
      after = rows.length === MATCHES_AT_ONCE ? rows.at(-1)!.sequence - 1 : to;
      return rows.filter(({ sequence }) => sequence <= after).flatMap((match) => placesOf(match, chosen));
    };
    let total = 0;
    while (after < last && total <= REDELIVERED_MAX) total += await work(read, total);
    return total;
  }
}

function newId(isNew: boolean): string | undefined {
  return isNew ? `redelivery:${randomUUID()}` : undefined;
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

/** The queues that a match is to get a place in. */
function placesOf({ sequence, sink, ...event }: Match, chosen: readonly SinkFilter[]): Queued[] {
  const wanting = chosen.filter((one) => (sink === null || sink === one.name) && wants(one, event));
  return wanting.map(({ name }) => ({ event: sequence, sink: name }));
}

/** The first events after one place up to another that match, whether or not a sink wants them. */
function readMatches(
  source: Queryable,
  { state, type, hirer, sink, since, until }: RedeliveryFilter,
  chosen: readonly SinkFilter[],
  after: number,
  to: number,
): Promise<Match[]> {
  const names = chosen.map(({ name }) => name);
  const atSinks = `deliveries.event = events.sequence AND deliveries.sink IN (${names.map(() => '?').join(', ')})`;
  const isStored = state === 'stored';
  const [place, from, atSink] = isStored
    ? ['events.sequence', 'events', 'NULL']
    : ['deliveries.event', 'deliveries CROSS JOIN events', 'deliveries.sink'];
  const inState: SqlCondition = isStored
    ? [`(SELECT 1 FROM deliveries WHERE ${atSinks} LIMIT 1) IS NULL`, ...names] // looked up for each
    : [`${atSinks} AND deliveries.state = ?`, ...names, state];
  const parameters: SqlValue[] = [];
  const where = whereOf(
    [
      isStored && sink === undefined ? ['events.queued = 0'] : inState, // at any sink: that has an index of its own
      ['events.payload IS NOT NULL'],
      ['events.type = ?', type],
      ['events.hirer_id = ?', hirer],
      ...atTime(since, until, place),
      [`${place} > ?`, after],
      [`${place} <= ?`, to],
    ],
    parameters,
  );
  return source.query(
    `SELECT ${place} AS sequence, type, hirer_id AS "hirerId", ${atSink} AS sink FROM ${from} ${where}
     ORDER BY 1 LIMIT ${MATCHES_AT_ONCE}`,
    parameters,
  );
}
