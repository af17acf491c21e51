import { Injectable } from '@nestjs/common';
import { Default } from '../../../config/default.js';
import { Database } from '../../../storage/database.js';
import { DEFAULT_SINK, EventSinks } from '../event-sinks.js';
import { placeholders } from '../event-sql.js';

const BACKLOG_STATES = ['pending', 'failed', 'dead'] as const;

/** Events that are not delivered, of one sink and in one state. */
export interface BacklogCount {
  readonly sink: string;
  readonly state: string;
  readonly count: number;
}

/** Counts and ages of stored events, for the metrics. */
@Injectable()
export class EventCounts {
  constructor(
    private readonly database: Database,
    @Default() readonly now: () => number = Date.now,
    readonly sinks: EventSinks = EventSinks.SINGLE,
  ) {}

  /** How many events of each sink are in each unfinished state; zeros included. */
  async backlog(): Promise<BacklogCount[]> {
    const rows = await this.bySink<{ sink: string; state: string; count: number }>(
      'state, COUNT(*) AS count',
      `state IN ('pending', 'failed', 'dead')`,
      'state',
    );
    const counts = new Map(rows.map(({ sink, state, count }) => [`${sink} ${state}`, count]));
    return this.sinkNames.flatMap((sink) =>
      BACKLOG_STATES.map((state) => ({ sink, state, count: counts.get(`${sink} ${state}`) ?? 0 })),
    );
  }

  /** Age of the oldest event that waits for its delivery to each sink; 0 when there is none. */
  async oldestPendingSeconds(): Promise<{ sink: string; seconds: number }[]> {
    const rows = await this.bySink<{ sink: string; oldest: number | null }>(
      'MIN(received_at) AS oldest',
      `state IN ('pending', 'failed')`,
    );
    const oldest = new Map(rows.map((row) => [row.sink, row.oldest]));
    return this.sinkNames.map((sink) => ({ sink, seconds: this.ageSeconds(oldest.get(sink)) ?? 0 }));
  }

  /** Without any sink, what waits in the queue of the default one. */
  private get sinkNames(): readonly string[] {
    const { names } = this.sinks;
    return names.length === 0 ? [DEFAULT_SINK] : names;
  }

  /** What `select` is over the deliveries of each sink. */
  private bySink<R extends { sink: string } & Record<string, string | number | null>>(
    select: string,
    condition: string,
    groupBy?: string,
  ): Promise<R[]> {
    const own = this.sinks.own.map(({ name }) => name);
    const group = groupBy === undefined ? '' : `GROUP BY ${groupBy}`;
    const byDefault = `SELECT '${DEFAULT_SINK}' AS sink, ${select} FROM events WHERE ${condition} ${group}`;
    if (own.length === 0) return this.database.query(byDefault);
    return this.database.query(
      `${byDefault} UNION ALL SELECT sink, ${select} FROM event_deliveries
       WHERE sink IN (${placeholders(own.length)}) AND ${condition} GROUP BY sink${groupBy === undefined ? '' : `, ${groupBy}`}`,
      own,
    );
  }

  /** Time since the last complete reconciliation, of one scheme or of all; undefined before the first. */
  async reconciledAgeSeconds(schemeId?: string): Promise<number | undefined> {
    const [row] = await this.database.query<{ completed: number | null }>(
      `SELECT MIN(completed_at) AS completed FROM event_cursors ${schemeId === undefined ? '' : 'WHERE scheme_id = $1'}`,
      schemeId === undefined ? [] : [schemeId],
    );
    return this.ageSeconds(row?.completed);
  }

  private ageSeconds(time: number | null | undefined): number | undefined {
    return time == null ? undefined : Math.max(0, (this.now() - time) / 1000);
  }
}
