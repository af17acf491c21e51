import { Inject, Injectable } from '@nestjs/common';
import { Default } from '../../config/default.js';
import { Database, type Transaction } from '../../storage/database.js';
import { LOG, type Log } from '../../telemetry/log.js';
import { DEFAULT_SINK, EventSinks, type OwnSink } from '../store/event-sinks.js';
import { placeholders } from '../store/event-sql.js';
import { lockEvents } from '../store/insert/insert-events.js';
import { queueDeliveries } from '../store/queue-deliveries.js';

const REMOVED =
  'events wait for a sink that is not in the settings any more: they are not delivered. Name the sink again, or redeliver them to another one';
const REMOVED_DEFAULT =
  'events wait for the sink `default`, which is not in the settings any more: they become `stored`. Redeliver them to another one';

/** Numbers of `events.sequence` that one transaction looks at, so that webhooks can be stored in between. */
const SEQUENCES_AT_ONCE = 500;
const REMOVED_AT_ONCE = 1_000;

/**
 * Queues stored events for the sinks that have queues of their own: those stored since the sink was first in the
 * settings of a replica, each once, and again when it is completed. Every replica feeds every sink; a cursor in the
 * database says how far.
 */
@Injectable()
export class SinkFeed {
  constructor(
    private readonly database: Database,
    private readonly sinks: EventSinks,
    @Inject(LOG) private readonly log: Pick<Log, 'info' | 'warn'>,
    @Default() private readonly now: () => number = Date.now,
  ) {}

  /** Registers sinks that are new, which get events from now on; warns of deliveries to sinks that were removed. */
  async begin(): Promise<void> {
    for (const { name } of this.sinks.own) await this.register(name);
    await this.warnOfRemoved();
  }

  /** Queues what has been stored since the last run. @returns how many deliveries */
  async run(): Promise<number> {
    let queued = 0;
    for (const name of await this.behind()) {
      const sink = this.sinks.own.find((one) => one.name === name)!;
      let batch: number | undefined = 0;
      while (batch !== undefined) {
        queued += batch;
        batch = await this.database.transaction((tx) => this.queueNext(tx, sink));
      }
    }
    return queued;
  }

  /** Forgets sinks that no replica has had in its settings since then, and their deliveries. */
  async forget(unseenSince: number): Promise<void> {
    const names = this.sinks.own.map(({ name }) => name);
    for (const name of names) await this.see(name);
    const removed = `sink IN (SELECT name FROM event_sinks WHERE seen_at < $1)`;
    let rows: unknown[];
    do {
      rows = await this.database.query(
        `DELETE FROM event_deliveries WHERE ${removed} AND sequence IN (
           SELECT sequence FROM event_deliveries WHERE ${removed} LIMIT ${REMOVED_AT_ONCE}) RETURNING sequence`,
        [unseenSince],
      );
    } while (rows.length > 0);
    await this.database.query('DELETE FROM event_sinks WHERE seen_at < $1 RETURNING name', [unseenSince]);
  }

  private async register(name: string): Promise<void> {
    const added = await this.database.transaction(async (tx) => {
      await lockEvents(tx);
      return tx.query(
        `INSERT INTO event_sinks (name, cursor, seen_at)
         SELECT $1, COALESCE(MAX(sequence), 0), CAST($2 AS BIGINT) FROM events WHERE true
         ON CONFLICT (name) DO NOTHING RETURNING name`,
        [name, this.now()],
      );
    });
    if (added.length > 0) this.log.info({ sink: name }, 'a new sink gets events from now on');
    else await this.see(name);
  }

  private async see(name: string): Promise<void> {
    await this.database.query('UPDATE event_sinks SET seen_at = $2 WHERE name = $1 RETURNING name', [
      name,
      this.now(),
    ]);
  }

  /** The sinks for which there is something to read. */
  private async behind(): Promise<string[]> {
    const names = this.sinks.own.map(({ name }) => name);
    if (names.length === 0) return [];
    const rows = await this.database.query<{ name: string }>(
      `SELECT name FROM event_sinks
       WHERE name IN (${placeholders(names.length)}) AND cursor < (SELECT MAX(sequence) FROM events)`,
      names,
    );
    return rows.map(({ name }) => name);
  }

  /** @returns how many; undefined when there is nothing left */
  private async queueNext(tx: Transaction, sink: OwnSink): Promise<number | undefined> {
    await lockEvents(tx);
    const [place] = await tx.query<{ cursor: number; last: number | null }>(
      'SELECT cursor, (SELECT MAX(sequence) FROM events) AS last FROM event_sinks WHERE name = $1',
      [sink.name],
    );
    if (!place || place.last === null || place.cursor >= place.last) return undefined;
    const end = Math.min(place.last, place.cursor + SEQUENCES_AT_ONCE);
    const queued = await queueDeliveries(
      tx,
      sink,
      [
        ['sequence > ?', place.cursor],
        ['sequence <= ?', end],
      ],
      { dueAt: 'received_at' },
    );
    await tx.query('UPDATE event_sinks SET cursor = $2 WHERE name = $1 RETURNING name', [sink.name, end]);
    return queued;
  }

  private async warnOfRemoved(): Promise<void> {
    const { own, hasDefault } = this.sinks;
    const names = own.map(({ name }) => name);
    const others = names.length === 0 ? '' : `AND sink NOT IN (${placeholders(names.length)})`;
    const byDefault = hasDefault
      ? ''
      : `UNION ALL SELECT '${DEFAULT_SINK}', state, COUNT(*) FROM events
         WHERE state IN ('pending', 'failed', 'dead') GROUP BY state`;
    const rows = await this.database.query<{ sink: string; state: string; count: number }>(
      `SELECT sink, state, COUNT(*) AS count FROM event_deliveries
       WHERE state IN ('pending', 'failed', 'dead') ${others} GROUP BY sink, state ${byDefault}`,
      names,
    );
    const removed = new Map<string, Record<string, number>>();
    for (const { sink, state, count } of rows) {
      removed.set(sink, { ...removed.get(sink), [state]: count });
    }
    for (const [sink, counts] of removed) {
      this.log.warn({ sink, ...counts }, sink === DEFAULT_SINK ? REMOVED_DEFAULT : REMOVED);
    }
  }
}
