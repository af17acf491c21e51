import { Injectable } from '@nestjs/common';
import { SingleFlight } from '../../../concurrency/single-flight.js';
import { Database, type Row } from '../../../storage/database.js';
import { DEFAULT_SINK, EventSinks } from '../event-sinks.js';

/** States of a delivery that is not done. */
export const BACKLOG_STATES = ['pending', 'failed', 'dead'] as const;
/** Begins the reason of an event that waits for its object, in the column `last_failure`. */
export const OBJECT_FAILURE = 'object: ';
const DAY_MS = 86_400_000;
const LATEST_MAX = 100;

/** The events that are not delivered to a sink: how many are in each state. */
interface SinkBacklog extends Readonly<Record<(typeof BACKLOG_STATES)[number], number>> {
  readonly sink: string;
  /** How long the oldest event has waited for its delivery; 0 when there is none. */
  readonly oldestSeconds: number;
  /** True if that event waits for its object. */
  readonly isForObject: boolean;
}

interface StateRow extends Row {
  sink: string;
  state: string;
  count: number;
  /** How long the oldest event has waited for its delivery, and the oldest of those that wait for their objects. */
  waited_ms: number | null;
  waited_for_object_ms: number | null;
}

/** Counts and ages of stored events, for metrics and conditions. */
@Injectable()
export class EventCounts {
  private readonly readings = new SingleFlight<StateRow[]>();

  constructor(
    private readonly database: Database,
    readonly sinks: EventSinks,
  ) {}

  /** Of each sink. Those who ask at the same time share one reading. */
  async backlog(): Promise<SinkBacklog[]> {
    const rows = await this.readings.run('backlog', () => this.readStates());
    return this.sinkNames.map((sink) => {
      const own = rows.filter((row) => row.sink === sink);
      const [pending, failed, dead] = BACKLOG_STATES.map(
        (state) => own.find((row) => row.state === state)?.count ?? 0,
      ) as [number, number, number];
      const waitedMs = Math.max(0, ...own.map((row) => row.waited_ms ?? 0));
      const forObjectMs = Math.max(0, ...own.map((row) => row.waited_for_object_ms ?? 0));
      const isForObject = waitedMs > 0 && waitedMs === forObjectMs;
      return { sink, pending, failed, dead, oldestSeconds: waitedMs / 1000, isForObject };
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

  private readStates(): Promise<StateRow[]> {
    return this.database.query(
      `SELECT sink, state, COUNT(*) AS count, :now - MIN(queued_at) AS waited_ms,
         :now - MIN(CASE WHEN last_failure LIKE '${OBJECT_FAILURE}%' THEN queued_at END) AS waited_for_object_ms
       FROM deliveries WHERE state IN ('pending', 'failed') GROUP BY sink, state
       UNION ALL SELECT sink, state, COUNT(*) AS count, NULL, NULL
       FROM deliveries WHERE state = 'dead' GROUP BY sink, state`,
    );
  }
}
