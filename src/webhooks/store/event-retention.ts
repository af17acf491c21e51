import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../../storage/database.js';
import { EventSinks } from './event-sinks.js';
import { lockEvents } from './insert-events.js';

/** Events of one transaction, so that webhooks can be stored in between. */
const EVENTS_AT_ONCE = 200;
/** How long records outlive their events at least, above the age from which a webhook's event is never new. */
const RECORD_DAYS = 365;
const DAY_MS = 86_400_000;

/** Deletes what was stored of events long ago: first payloads, later whole records. */
@Injectable()
export class EventRetention {
  constructor(
    private readonly database: Database,
    private readonly sinks: EventSinks,
  ) {}

  /** Deletes payloads of before that time, and records once they are a year old, too. */
  async purge(before: number): Promise<number> {
    const yearAgo = (await this.database.now()) - RECORD_DAYS * DAY_MS;
    return (await this.purgePayloads(before)) + (await this.purgeRecords(Math.min(before, yearAgo)));
  }

  /**
   * Deletes the payloads of finished events whose last copy came before that time, the history of their attempts, and
   * what waits for sinks that are not in the settings any more; the rest of each record stays.
   * @returns how many
   */
  purgePayloads(before: number): Promise<number> {
    const names = JSON.stringify(this.sinks.names.map((name) => [name]));
    return this.inSteps(async (tx) => {
      const { sql } = tx;
      const rows = await tx.query<{ sequence: number }>(
        `UPDATE events SET payload = NULL WHERE sequence IN (
           SELECT sequence FROM events
           WHERE payload IS NOT NULL AND stored_at < $1 AND last_received_at < $1 AND NOT EXISTS (
             SELECT 1 FROM deliveries WHERE event = events.sequence AND due_at IS NOT NULL
               AND sink IN (SELECT value->>0 FROM ${sql.rows('$2')}))
           ORDER BY stored_at LIMIT ${EVENTS_AT_ONCE})
         RETURNING sequence`,
        [before, names],
      );
      const purged = JSON.stringify(rows.map(({ sequence }) => [sequence]));
      const ofThem = sql.isAmong('event', `SELECT CAST(value->>0 AS BIGINT) FROM ${sql.rows('$1')}`);
      await tx.query(`DELETE FROM deliveries WHERE due_at IS NOT NULL AND ${ofThem}`, [purged]);
      await tx.query(`UPDATE deliveries SET history = NULL WHERE history IS NOT NULL AND ${ofThem}`, [
        purged,
      ]);
      return rows.length;
    });
  }

  /**
   * Deletes the records, with their deliveries, of events whose payloads are deleted and whose last copy came before that
   * time. The last event of the sequence stays: numbers must not be given out twice, and readers go by the last one.
   * @returns how many
   */
  purgeRecords(before: number): Promise<number> {
    return this.inSteps(async (tx) => {
      const rows = await tx.last(
        `DELETE FROM events WHERE sequence IN (
           SELECT sequence FROM events
           WHERE payload IS NULL AND stored_at < $1 AND last_received_at < $1
             AND sequence < (SELECT MAX(sequence) FROM events)
             AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event = events.sequence AND due_at IS NOT NULL)
           ORDER BY stored_at LIMIT ${EVENTS_AT_ONCE})
         RETURNING sequence`,
        [before],
      );
      return rows.length;
    });
  }

  /** Under the lock of events: one that is being queued again is either due already, or finds no payload. */
  private async inSteps(step: (tx: Transaction) => Promise<number>): Promise<number> {
    for (let removed = 0; ;) {
      const count = await this.database.transaction(async (tx) => {
        await lockEvents(tx);
        return step(tx);
      });
      removed += count;
      if (count < EVENTS_AT_ONCE) return removed;
    }
  }
}
