import { Injectable } from '@nestjs/common';
import { Default } from '../../config/default.js';
import { Database } from '../../storage/database.js';

const BACKLOG_STATES = ['pending', 'failed', 'dead'] as const;

/** Counts and ages of stored events, for the metrics. */
@Injectable()
export class EventCounts {
  constructor(
    private readonly database: Database,
    @Default() private readonly now: () => number = Date.now,
  ) {}

  /** How many events are in each unfinished state; zeros included. */
  async backlog(): Promise<{ state: string; count: number }[]> {
    const rows = await this.database.query<{ state: string; count: number }>(
      `SELECT state, COUNT(*) AS count FROM events WHERE state IN ('pending', 'failed', 'dead') GROUP BY state`,
    );
    const counts = new Map(rows.map(({ state, count }) => [state, count]));
    return BACKLOG_STATES.map((state) => ({ state, count: counts.get(state) ?? 0 }));
  }

  /** Age of the oldest event that waits for its delivery; 0 when there is none. */
  async oldestPendingSeconds(): Promise<number> {
    const [row] = await this.database.query<{ oldest: number | null }>(
      `SELECT MIN(received_at) AS oldest FROM events WHERE state IN ('pending', 'failed')`,
    );
    return this.ageSeconds(row?.oldest) ?? 0;
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
