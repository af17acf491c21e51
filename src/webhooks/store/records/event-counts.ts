import { Injectable } from '@nestjs/common';
import { RecentReading } from '../../../concurrency/recent-reading.js';
import { Database, type Row } from '../../../storage/database.js';
import { DEFAULT_SINK, EventSinks } from '../event-sinks.js';

const BACKLOG_STATES = ['pending', 'failed', 'dead'] as const;
/** Begins the reason of an event that waits for its object, in the column `last_failure`. */
export const OBJECT_FAILURE = 'object: ';
const KEPT_MS = 10_000;
const DAY_MS = 86_400_000;
const LATEST_MAX = 100;

/** Events that are not delivered, of one sink and in one state. */
export interface BacklogCount {
  readonly sink: string;
  readonly state: string;
  readonly count: number;
}

/** The oldest event that waits for its delivery to a sink. */
interface OldestPending {
  readonly sink: string;
  /** For how long; 0 when there is none. */
  readonly seconds: number;
  /** True if it waits for its object. */
  readonly isForObject: boolean;
}

interface QueueRow extends Row {
  sink: string;
  state: string;
  count: number;
  /** How long the oldest event has waited for its delivery, and the oldest of those that wait for their objects. */
  waited_ms: number | null;
  waited_for_object_ms: number | null;
}

/**
 * Counts and ages of stored events, for metrics and conditions, which share what was read in the last ten seconds. What
 * changes on this replica is to be told by {@link forget}.
 */
@Injectable()
export class EventCounts {
  private readonly queues = new RecentReading(() => this.readQueues(), KEPT_MS);

  constructor(
    private readonly database: Database,
    readonly sinks: EventSinks,
  ) {}

  /** Has everything read anew. */
  forget(): void {
    this.queues.forget();
  }

  /** How many events of each sink are in each unfinished state; zeros included. */
  async backlog(): Promise<BacklogCount[]> {
    const rows = await this.queues.get();
    return this.sinkNames.flatMap((sink) =>
      BACKLOG_STATES.map((state) => {
        const row = rows.find((one) => one.sink === sink && one.state === state);
        return { sink, state, count: row?.count ?? 0 };
      }),
    );
  }

  /** The oldest event that waits for each sink. */
  async oldestPending(): Promise<OldestPending[]> {
    const rows = await this.queues.get();
    return this.sinkNames.map((sink) => {
      const own = rows.filter((row) => row.sink === sink);
      const waitedMs = Math.max(0, ...own.map((row) => row.waited_ms ?? 0));
      const forObjectMs = Math.max(0, ...own.map((row) => row.waited_for_object_ms ?? 0));
      return { sink, seconds: waitedMs / 1000, isForObject: waitedMs > 0 && waitedMs === forObjectMs };
    });
  }

  /** True if one of the latest events came by a webhook in these days. */
  async hasSignedSince(days: number): Promise<boolean> {
    const [row] = await this.database.query(
      `SELECT 1 AS found FROM (SELECT trust, received_at FROM events ORDER BY sequence DESC LIMIT ${LATEST_MAX}) AS latest
       WHERE trust = 'signed' AND received_at > :now - ${days * DAY_MS} LIMIT 1`,
    );
    return row !== undefined;
  }

  /** Without any sink, what waits for the default one. */
  get sinkNames(): readonly string[] {
    const { names } = this.sinks;
    return names.length === 0 ? [DEFAULT_SINK] : names;
  }

  private readQueues(): Promise<QueueRow[]> {
    return this.database.query(
      `SELECT sink, state, COUNT(*) AS count, :now - MIN(queued_at) AS waited_ms,
         :now - MIN(CASE WHEN last_failure LIKE '${OBJECT_FAILURE}%' THEN queued_at END) AS waited_for_object_ms
       FROM deliveries WHERE state IN ('pending', 'failed') GROUP BY sink, state
       UNION ALL SELECT sink, state, COUNT(*) AS count, NULL, NULL
       FROM deliveries WHERE state = 'dead' GROUP BY sink, state`,
    );
  }
}
