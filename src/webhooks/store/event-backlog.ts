import { Injectable } from '@nestjs/common';
import { SingleFlight } from '../../concurrency/single-flight.js';
import { LATE, within } from '../../concurrency/within.js';
import { Database, type Row } from '../../storage/database.js';
import { Conditions } from '../../telemetry/conditions/conditions.js';
import { Metrics } from '../../telemetry/metrics.js';
import { EventSinks } from './event-sinks.js';

/** States of a delivery that is not done. */
const STATES = ['pending', 'failed', 'dead'] as const;
/** Age of the oldest event from which events are late. */
const LATE_SECONDS = 600;
/** A store that hangs delays a scrape by no more than this, and a look of the conditions by less than it waits. */
const READ_MS_MAX = 500;
const DAY_MS = 86_400_000;
const LATEST_MAX = 10_000;
const BLAMED = ['deliveries-failing', 'partner-token-missing', 'upstream-failing'] as const;

interface StateRow extends Row {
  sink: string;
  state: string;
  count: number;
  /** How long the oldest event has waited for its delivery. */
  waited_ms: number | null;
}

type SinkRows = { readonly sink: string; readonly rows: readonly StateRow[] };

/** What is not delivered, as metrics and as conditions. */
@Injectable()
export class EventBacklog {
  private readonly readings = new SingleFlight<StateRow[]>();
  /** The latest reading that has ended: one of half a million events takes seconds. */
  private latest: readonly SinkRows[] = [];

  constructor(
    private readonly database: Database,
    private readonly sinks: EventSinks,
    metrics: Metrics,
    conditions: Conditions,
  ) {
    const { labels } = sinks;
    const [backlog, age] = ['bff_webhook_backlog', 'bff_webhook_oldest_pending_seconds'];
    metrics.gauge(backlog, 'Events that are not delivered.', ['state', ...labels], async (gauge) => {
      for (const { sink, rows } of await this.readForScrape()) {
        for (const state of STATES) {
          const count = rows.find((row) => row.state === state)?.count ?? 0;
          gauge.set({ state, ...sinks.labelsOf(sink) }, count);
        }
      }
    });
    metrics.gauge(age, 'How long the oldest event has waited for its delivery.', labels, async (gauge) => {
      for (const own of await this.readForScrape()) gauge.set(sinks.labelsOf(own.sink), ageSeconds(own));
    });
    conditions.figure('events-dead', async () => {
      const rows = (await this.readInTime()).flatMap((own) => own.rows);
      const sum = rows.reduce((all, { state, count }) => all + (state === 'dead' ? count : 0), 0);
      return sum === 0 ? undefined : `${sum} event${sum === 1 ? '' : 's'}`;
    });
    conditions.figure(
      'events-late',
      () => this.lateness(),
      () => BLAMED.map((name) => conditions.culpritOf(name)).find((culprit) => culprit),
    );
  }

  /** True if one of the latest events came by a webhook in these days. */
  async hasSignedSince(days: number): Promise<boolean> {
    const [row] = await this.database.query(
      `SELECT 1 AS found FROM (SELECT trust, received_at FROM events ORDER BY sequence DESC LIMIT ${LATEST_MAX}) AS latest
       WHERE trust = 'signed' AND received_at > :now - ${days * DAY_MS} LIMIT 1`,
    );
    return row !== undefined;
  }

  private async lateness(): Promise<string | undefined> {
    const ages = (await this.readInTime())
      .map((own) => ({ sink: own.sink, seconds: ageSeconds(own) }))
      .filter(({ seconds }) => seconds > LATE_SECONDS)
      .map(({ sink, seconds }) => `${sink}: ${Math.round(seconds / 60)} minutes`);
    return ages.join('; ') || undefined;
  }

  /** Nothing while the store is down: gauges then keep their last values, so that the other metrics can still be read. */
  private readForScrape(): Promise<readonly SinkRows[]> {
    return this.readInTime().catch(() => []);
  }

  private async readInTime(): Promise<readonly SinkRows[]> {
    const read = await within(READ_MS_MAX, this.read());
    return read === LATE ? this.latest : read;
  }

  /**
   * Of the sinks of the settings; what was given up counts until its payload is deleted, the latest last: then nobody can
   * redeliver it. Those who ask at the same time share one reading.
   */
  private async read(): Promise<readonly SinkRows[]> {
    const rows = await this.readings.run('states', () =>
      this.database.query<StateRow>(
        `SELECT sink, state, COUNT(*) AS count, :now - MIN(queued_at) AS waited_ms
         FROM deliveries WHERE state IN ('pending', 'failed') GROUP BY sink, state
         UNION ALL SELECT sink, state, count, NULL
         FROM (SELECT sink, state, COUNT(*) AS count, MAX(event) AS latest
           FROM deliveries WHERE state = 'dead' GROUP BY sink, state) AS given_up
         WHERE (SELECT payload IS NOT NULL FROM events WHERE sequence = latest)`,
      ),
    );
    const own = rows.filter(({ sink }) => this.sinks.names.includes(sink));
    this.latest = this.sinks.reported.map((sink) => ({ sink, rows: own.filter((row) => row.sink === sink) }));
    return this.latest;
  }
}

function ageSeconds({ rows }: SinkRows): number {
  return Math.max(0, ...rows.map(({ waited_ms }) => waited_ms ?? 0)) / 1000;
}
