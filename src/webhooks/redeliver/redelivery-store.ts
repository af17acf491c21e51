import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Default } from '../../config/default.js';
import { Database, type Queryable, type Row, type SqlValue } from '../../storage/database.js';
import { readPage, whereOf, type Page } from '../../storage/lists/page.js';
import { EventSinks } from '../store/event-sinks.js';
import { lockEvents } from '../store/insert/insert-events.js';
import type { EventState } from '../store/webhook-event.js';
import { matchingEvents } from './matching-events.js';
import { queueMatching } from './queue-matching.js';
import type { HeldRedelivery, Redelivery, RedeliveryFilter } from './redelivery.js';

/** Most events of one redelivery. */
export const REDELIVERED_EVENTS_MAX = 100_000;

const LEASE_MS = 10_000;
const PAGE_ITEMS = 100;

interface RedeliveryRow extends Row {
  id: string;
  running: number | null;
  filter: string;
  actor: string | null;
  started_at: number;
  ended_at: number | null;
  cancelled: number;
  total: number;
  queued: number;
  cursor: number;
  last_sequence: number;
  lease: number;
}

/** Redeliveries of many events, in the database: any replica continues what another has begun. */
@Injectable()
export class RedeliveryStore {
  constructor(
    private readonly database: Database,
    @Default() private readonly now: () => number = Date.now,
    private readonly sinks: EventSinks = EventSinks.SINGLE,
  ) {}

  /** How many events match, counted up to one more than {@link REDELIVERED_EVENTS_MAX}. */
  count(filter: RedeliveryFilter): Promise<number> {
    return this.countMatching(this.database, filter);
  }

  /**
   * Begins a redelivery of the events that match by now.
   * @returns undefined when another one is running
   */
  async start(
    filter: RedeliveryFilter,
    actor: string | undefined,
    asNew = false,
  ): Promise<Redelivery | undefined> {
    const id = randomUUID();
    const row = await this.database.transaction(async (tx) => {
      await lockEvents(tx);
      const total = await this.countMatching(tx, filter);
      if ((await tx.query('SELECT id FROM event_redeliveries WHERE running IS NOT NULL')).length > 0) {
        return undefined;
      }
      const [started] = await tx.query<RedeliveryRow>(
        `INSERT INTO event_redeliveries (id, running, filter, actor, started_at, total, last_sequence)
         VALUES ($1, $6, $2, $3, $4, $5, (SELECT COALESCE(MAX(sequence), 0) FROM events))
         ON CONFLICT (running) DO NOTHING RETURNING *`,
        [id, JSON.stringify({ ...filter, asNew }), actor ?? null, this.now(), total, this.runningOf(filter)],
      );
      return started;
    });
    return row && toRedelivery(row, {});
  }

  /** The latest first. @param after cursor of the page */
  async list(after?: number): Promise<Page<Redelivery>> {
    const page = await readPage<RedeliveryRow, RedeliveryRow>(this.database, {
      select: 'SELECT * FROM event_redeliveries',
      conditions: [['started_at < ?', after]],
      orderBy: 'started_at DESC',
      itemsMax: PAGE_ITEMS,
      toItem: (row) => row,
      cursorOf: (row) => String(row.started_at),
    });
    return { ...page, items: await Promise.all(page.items.map((row) => this.withProgress(row))) };
  }

  async find(id: string): Promise<Redelivery | undefined> {
    const [row] = await this.database.query<RedeliveryRow>('SELECT * FROM event_redeliveries WHERE id = $1', [
      id,
    ]);
    return row && this.withProgress(row);
  }

  /** Queues no further event; undefined when it is not running. */
  async cancel(id: string): Promise<Redelivery | undefined> {
    const [row] = await this.database.query<RedeliveryRow>(
      `UPDATE event_redeliveries SET running = NULL, cancelled = 1, ended_at = $2, lease = lease + 1
       WHERE id = $1 AND running IS NOT NULL RETURNING *`,
      [id, this.now()],
    );
    return row && this.withProgress(row);
  }

  /** Takes the running redelivery, unless another replica holds it. */
  async take(): Promise<HeldRedelivery | undefined> {
    const now = this.now();
    const [row] = await this.database.query<RedeliveryRow>(
      `UPDATE event_redeliveries SET lease = lease + 1, leased_until = $1
       WHERE running IS NOT NULL AND leased_until <= $2 RETURNING *`,
      [now + LEASE_MS, now],
    );
    return row && toHeld(row);
  }

  /** Returns it, so that any replica may continue. */
  async release({ id, lease }: HeldRedelivery): Promise<void> {
    await this.database.query(
      'UPDATE event_redeliveries SET leased_until = 0 WHERE id = $1 AND lease = $2 RETURNING id',
      [id, lease],
    );
  }

  /** True if at least so many events wait to be taken for delivery. */
  async isQueueFull(eventsMax: number): Promise<boolean> {
    const [row] = await this.database.query<{ count: number }>(
      `SELECT COUNT(*) AS count FROM (
         SELECT due_at FROM events WHERE due_at <= $1
         UNION ALL SELECT due_at FROM event_deliveries WHERE due_at <= $1 LIMIT ${eventsMax}) AS due`,
      [this.now()],
    );
    return row!.count >= eventsMax;
  }

  /**
   * Queues the next events, and moves the cursor in the same transaction, so that each event is queued once.
   * @returns undefined when that was all, or the redelivery was cancelled or taken over
   */
  async queueNext(held: HeldRedelivery, eventsMax: number): Promise<HeldRedelivery | undefined> {
    return this.database.transaction(async (tx) => {
      await lockEvents(tx);
      const sequences = await queueMatching(tx, held, eventsMax, { sinks: this.sinks, now: this.now() });
      const isLast = sequences.length < eventsMax;
      const cursor = isLast ? held.lastSequence : Math.max(...sequences);
      const [row] = await tx.query<RedeliveryRow>(
        `UPDATE event_redeliveries SET cursor = $1, queued = queued + $2, leased_until = $3,
           running = ${isLast ? 'NULL' : 'running'}, ended_at = $4
         WHERE id = $5 AND lease = $6 RETURNING *`,
        [cursor, sequences.length, this.now() + LEASE_MS, isLast ? this.now() : null, held.id, held.lease],
      );
      if (!row) throw new RedeliveryLost('the redelivery was cancelled, or taken over');
      return isLast ? undefined : toHeld(row);
    });
  }

  /** Older versions continue only what they know how to: 1, a redelivery from the queue of the default sink alone. */
  private runningOf({ sink }: RedeliveryFilter): 1 | 2 {
    return this.sinks.chosen(sink).own.length > 0 ? 2 : 1;
  }

  private async countMatching(database: Queryable, filter: RedeliveryFilter): Promise<number> {
    const parameters: SqlValue[] = [];
    const where = whereOf(matchingEvents(filter, this.sinks), parameters);
    const [row] = await database.query<{ count: number }>(
      `SELECT COUNT(*) AS count FROM (SELECT 1 FROM events ${where} LIMIT ${REDELIVERED_EVENTS_MAX + 1}) AS matching`,
      parameters,
    );
    return row!.count;
  }

  private async withProgress(row: RedeliveryRow): Promise<Redelivery> {
    const states = await this.database.query<{ state: EventState; count: number }>(
      `SELECT state, COUNT(*) AS count FROM (
         SELECT state FROM events WHERE redelivery = $1
         UNION ALL SELECT state FROM event_deliveries WHERE redelivery = $1) AS queued GROUP BY state`,
      [row.id],
    );
    return toRedelivery(row, Object.fromEntries(states.map(({ state, count }) => [state, count])));
  }
}

/** Thrown to undo a batch that this replica had no right to any more. */
export class RedeliveryLost extends Error {
  override readonly name = 'RedeliveryLost';
}

function toHeld(row: RedeliveryRow): HeldRedelivery {
  const { id, cursor, lease, last_sequence: lastSequence } = row;
  return { id, cursor, lease, lastSequence, ...readFilter(row) };
}

/** The events to redeliver, and how; older versions stored the filter alone. */
function readFilter(row: RedeliveryRow): { filter: RedeliveryFilter; asNew: boolean } {
  const { asNew = false, ...filter } = JSON.parse(row.filter) as RedeliveryFilter & { asNew?: boolean };
  return { filter, asNew };
}

function toRedelivery(row: RedeliveryRow, events: Redelivery['events']): Redelivery {
  const { filter, asNew } = readFilter(row);
  const { state, type, hirer, sink, since, until } = filter;
  return {
    id: row.id,
    state: row.running !== null ? 'running' : row.cancelled === 1 ? 'cancelled' : 'done',
    filter: {
      state,
      ...(type !== undefined && { type }),
      ...(hirer !== undefined && { hirer }),
      ...(sink !== undefined && { sink }),
      ...(since !== undefined && { since: new Date(since).toISOString() }),
      ...(until !== undefined && { until: new Date(until).toISOString() }),
    },
    asNew,
    actor: row.actor,
    startedAt: new Date(row.started_at).toISOString(),
    endedAt: row.ended_at === null ? null : new Date(row.ended_at).toISOString(),
    total: row.total,
    queued: row.queued,
    events,
  };
}
