import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { BffError, invalidRequest } from '../../errors/bff-error.js';
import { Database, type SqlValue } from '../../storage/database.js';
import { whereOf, type SqlCondition } from '../../storage/lists/page.js';
import { queue, type Queued } from './deliveries.js';
import { atTime, type EventFilter } from './event-records.js';
import { EventSinks, wants, type SinkFilter } from './event-sinks.js';
import { lockEvents } from './insert-events.js';

/** States that an event can be redelivered from by filter: pending events are in the queue already. */
export const REDELIVERABLE_STATES = ['failed', 'dead', 'delivered', 'stored'] as const;

/** Which events to redeliver; in any of {@link REDELIVERABLE_STATES} where none is named. */
export interface RedeliveryFilter extends Pick<EventFilter, 'type' | 'hirer' | 'since' | 'until'> {
  readonly state?: (typeof REDELIVERABLE_STATES)[number] | undefined;
  /** The sink whose state of the event counts. Without it, every sink; `stored` is then an event that no sink got. */
  readonly sink?: string | undefined;
}

type InState = RedeliveryFilter & { readonly state: (typeof REDELIVERABLE_STATES)[number] };

/** An event that matches: at one sink, or where no sink has it. */
type Match = { sequence: number; type: string; hirerId: string | null; sink: string | null };

const REDELIVERED_MAX = 100_000;
/** Deliveries of one transaction, and events read by one statement: webhooks are stored in between. */
const QUEUED_AT_ONCE = 500;
const PLACES_AT_ONCE = 5_000;
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
    const [event] = await this.database.query<Omit<Match, 'sink'> & { has: number }>(
      `SELECT sequence, type, hirer_id AS "hirerId", CASE WHEN payload IS NULL THEN 0 ELSE 1 END AS has
       FROM events WHERE id = $1`,
      [id],
    );
    if (!event) throw new BffError('not_found');
    if (event.has === 0) {
      throw new BffError('not_found', { detail: 'The payload of this event has been deleted.' });
    }
    const queued = placesOf({ ...event, sink: null }, chosen);
    if (queued.length === 0) {
      const message = `${sink === undefined ? 'none takes' : 'does not take'} events of this type or hirer`;
      throw new BffError('invalid_request', { errors: [{ field: 'sink', message }] });
    }
    await this.queueAgain(queued, asNew);
  }

  /**
   * Once for each sink that an event is to go to.
   * @throws BffError `invalid_request` for more than can be redelivered at once, and where there is no such sink
   */
  async count(filter: RedeliveryFilter): Promise<number> {
    return (await this.matching(filter)).length;
  }

  /** Due one after the other. @returns as {@link count} does @throws as it does */
  async redeliverAll(filter: RedeliveryFilter, asNew: boolean): Promise<number> {
    return this.queueAgain(await this.matching(filter), asNew);
  }

  private async matching({ state, ...filter }: RedeliveryFilter): Promise<Queued[]> {
    const found: Queued[] = [];
    const states = state === undefined ? REDELIVERABLE_STATES : [state];
    for (const one of states) await this.addMatching({ ...filter, state: one }, found);
    if (states.length === 1) return found; // in order, each once
    // a delivery may go from one state to the next in between
    const places = new Map(found.map((one) => [`${one.event} ${one.sink}`, one]));
    return [...places.values()].sort((a, b) => a.event - b.event);
  }

  private async addMatching(filter: InState, found: Queued[]): Promise<void> {
    const chosen = this.sinks.chosen(filter.sink);
    const isStored = filter.state === 'stored';
    const [place, from] = isStored ? ['sequence', 'events'] : ['event', 'deliveries WHERE state = $1'];
    const [bounds] = await this.database.query<{ first: number | null; last: number | null }>(
      `SELECT (SELECT MIN(${place}) FROM ${from}) AS first, (SELECT MAX(${place}) FROM ${from}) AS last`,
      isStored ? [] : [filter.state],
    );
    const { first, last } = bounds!;
    for (let after = (first ?? 1) - 1; after < (last ?? 0); after += PLACES_AT_ONCE) {
      const matches = await this.readMatches(filter, chosen, after);
      for (const match of matches) found.push(...placesOf(match, chosen));
      if (found.length > REDELIVERED_MAX) {
        throw invalidRequest(
          `More than ${REDELIVERED_MAX.toLocaleString('en-GB')} events match. Narrow the filter, by a time range for example.`,
        );
      }
    }
  }

  /** The events of so many places after one that match, whether or not a sink wants them. */
  private readMatches(filter: InState, chosen: readonly SinkFilter[], after: number): Promise<Match[]> {
    const { state, type, hirer, sink, since, until } = filter;
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
        [`${place} <= ?`, after + PLACES_AT_ONCE],
      ],
      parameters,
    );
    return this.database.query(
      `SELECT ${place} AS sequence, type, hirer_id AS "hirerId", ${atSink} AS sink FROM ${from} ${where}
       ORDER BY 1`,
      parameters,
    );
  }

  /** Without an event that was completed meanwhile, and with that queued, and one whose payload has been deleted. */
  private async queueAgain(queued: readonly Queued[], asNew: boolean): Promise<number> {
    const newId = asNew ? `redelivery:${randomUUID()}` : undefined;
    for (let start = 0; start < queued.length; start += QUEUED_AT_ONCE) {
      const part = queued.slice(start, start + QUEUED_AT_ONCE);
      await this.database.transaction(async (tx) => {
        await lockEvents(tx);
        const where = 'payload IS NOT NULL AND sequence :among';
        const ids = [JSON.stringify(part.map(({ event }) => event))];
        await tx.query(`UPDATE events SET queued = 1 WHERE queued = 0 AND ${where}`, ids);
        const found = await tx.query<{ sequence: number }>(`SELECT sequence FROM events WHERE ${where}`, ids);
        const there = new Set(found.map(({ sequence }) => sequence));
        const due = part.map((one, index) => ({ ...one, delayMs: (start + index) * SPACING_MS }));
        const again = due.filter(({ event }) => there.has(event));
        await queue(tx, again, 'operator', { newId, isLast: true });
      });
    }
    return queued.length;
  }
}

function placesOf({ sequence, sink, ...event }: Match, chosen: readonly SinkFilter[]): Queued[] {
  const wanting = chosen.filter((one) => (sink === null || sink === one.name) && wants(one, event));
  return wanting.map(({ name }) => ({ event: sequence, sink: name }));
}
