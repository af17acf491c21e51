import { Injectable } from '@nestjs/common';
import { RecentReading } from '../../../concurrency/recent-reading.js';
import { Default } from '../../../config/default.js';
import { Database, type Row } from '../../../storage/database.js';
import { DEFAULT_SINK, EventSinks } from '../event-sinks.js';
import { OBJECT_FAILURE, placeholders } from '../event-sql.js';

const BACKLOG_STATES = ['pending', 'failed', 'dead'] as const;
const UNFINISHED = `state IN ('pending', 'failed', 'dead')`;
const FIGURES = `state, COUNT(*) AS count, MIN(CASE WHEN state <> 'dead' THEN received_at END) AS oldest,
  MIN(CASE WHEN state <> 'dead' AND last_failure LIKE '${OBJECT_FAILURE}%' THEN received_at END) AS oldest_for_object`;
const KEPT_MS = 10_000;
const DAY_MS = 86_400_000;
const LATEST_MAX = 100;

/** Events that are not delivered, of one sink and in one state. */
export interface BacklogCount {
  readonly sink: string;
  readonly state: string;
  readonly count: number;
}

interface QueueRow extends Row {
  sink: string;
  state: string;
  count: number;
  /** When the oldest event arrived that waits for its delivery. */
  oldest: number | null;
  /** The same, of those that wait for their objects. */
  oldest_for_object: number | null;
}

/** The oldest event that waits for its delivery to a sink. */
interface OldestPending {
  readonly sink: string;
  /** Its age; 0 when there is none. */
  readonly seconds: number;
  /** True if it waits for its object. */
  readonly isForObject: boolean;
}

interface CursorRow extends Row {
  scheme_id: string;
  completed_at: number | null;
}

/**
 * Counts and ages of stored events, for metrics and conditions, which share what was read in the last ten seconds. What
 * changes on this replica is to be told by {@link forget}.
 */
@Injectable()
export class EventCounts {
  private readonly queues = new RecentReading(() => this.readQueues(), KEPT_MS);
  private readonly cursors = new RecentReading(() => this.readCursors(), KEPT_MS);

  constructor(
    private readonly database: Database,
    @Default() readonly now: () => number = Date.now,
    readonly sinks: EventSinks = EventSinks.SINGLE,
  ) {}

  /** Has everything read anew. */
  forget(): void {
    this.queues.forget();
    this.cursors.forget();
  }

  /** How many events of each sink are in each unfinished state; zeros included. */
  async backlog(): Promise<BacklogCount[]> {
    const rows = await this.queues.get();
    const counts = new Map(rows.map(({ sink, state, count }) => [`${sink} ${state}`, count]));
    return this.sinkNames.flatMap((sink) =>
      BACKLOG_STATES.map((state) => ({ sink, state, count: counts.get(`${sink} ${state}`) ?? 0 })),
    );
  }

  /** The oldest event that waits for each sink. */
  async oldestPending(): Promise<OldestPending[]> {
    const rows = await this.queues.get();
    return this.sinkNames.map((name) => {
      const own = rows.filter(({ sink, oldest }) => sink === name && oldest !== null);
      const [first] = own.sort((a, b) => a.oldest! - b.oldest!);
      const isForObject = first !== undefined && first.oldest === first.oldest_for_object;
      return { sink: name, seconds: this.ageSeconds(first?.oldest) ?? 0, isForObject };
    });
  }

  /** True if one of the latest events came by a webhook in these days. */
  async hasSignedSince(days: number): Promise<boolean> {
    const [row] = await this.database.query(
      `SELECT 1 AS found FROM (SELECT trust, received_at FROM events ORDER BY sequence DESC LIMIT ${LATEST_MAX}) AS latest
       WHERE trust = 'signed' AND received_at > $1 LIMIT 1`,
      [this.now() - days * DAY_MS],
    );
    return row !== undefined;
  }

  /** Time since the last complete reconciliation, of one scheme or of all; undefined before the first. */
  async reconciledAgeSeconds(schemeId?: string): Promise<number | undefined> {
    const rows = await this.cursors.get();
    const ages = rows.flatMap(({ scheme_id: scheme, completed_at: completed }) =>
      schemeId === undefined || scheme === schemeId ? (this.ageSeconds(completed) ?? []) : [],
    );
    return ages.length === 0 ? undefined : Math.max(...ages);
  }

  /** Without any sink, what waits in the queue of the default one. */
  private get sinkNames(): readonly string[] {
    const { names } = this.sinks;
    return names.length === 0 ? [DEFAULT_SINK] : names;
  }

  private readQueues(): Promise<QueueRow[]> {
    const own = this.sinks.own.map(({ name }) => name);
    const byDefault = `SELECT '${DEFAULT_SINK}' AS sink, ${FIGURES} FROM events WHERE ${UNFINISHED} GROUP BY state`;
    if (own.length === 0) return this.database.query(byDefault);
    return this.database.query(
      `${byDefault} UNION ALL SELECT sink, ${FIGURES} FROM event_deliveries
       WHERE sink IN (${placeholders(own.length)}) AND ${UNFINISHED} GROUP BY sink, state`,
      own,
    );
  }

  private readCursors(): Promise<CursorRow[]> {
    return this.database.query('SELECT scheme_id, completed_at FROM event_cursors');
  }

  private ageSeconds(time: number | null | undefined): number | undefined {
    return time == null ? undefined : Math.max(0, (this.now() - time) / 1000);
  }
}
