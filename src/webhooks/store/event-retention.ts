import { Injectable } from '@nestjs/common';
import { Database } from '../../storage/database.js';
import { EventSinks } from './event-sinks.js';
import { lockEvents } from './insert-events.js';

/** Of one transaction, so that webhooks can be stored in between. */
const EVENTS_AT_ONCE = 200;
const RECORD_DAYS = 365; // above the age from which a webhook's event is never new
const DAY_MS = 86_400_000;

/** Deletes what was stored of events long ago: first payloads, later whole records. */
@Injectable()
export class EventRetention {
  readonly what = 'payloads and records of events';

  constructor(
    private readonly database: Database,
    private readonly sinks: EventSinks,
  ) {}

  /** Deletes payloads of before that time, and records once they are a year old, too. */
  async purge(before: number): Promise<number> {
    const yearAgo = (await this.database.now()) - RECORD_DAYS * DAY_MS;
    return (await this.purgePayloads(before)) + (await this.purgeRecords(Math.min(before, yearAgo)));
  }

  /** Of events whose last copy came before that time, and that wait at no sink of the settings. @returns how many */
  purgePayloads(before: number): Promise<number> {
    return this.inSteps('UPDATE events SET payload = NULL', 'payload IS NOT NULL', before);
  }

  /**
   * Of those, the records without payloads, with their deliveries. The last event of the sequence stays: numbers must
   * not be given out twice.
   */
  purgeRecords(before: number): Promise<number> {
    const isOld = 'payload IS NULL AND sequence < (SELECT MAX(sequence) FROM events)';
    return this.inSteps('DELETE FROM events', isOld, before);
  }

  /** Under the lock of events: one that is being queued again is either due already, or finds no payload. */
  private async inSteps(change: string, isMeant: string, before: number): Promise<number> {
    const names = JSON.stringify(this.sinks.names.map((name) => [name]));
    const waitsNowhere = `NOT EXISTS (SELECT 1 FROM deliveries WHERE event = events.sequence AND due_at IS NOT NULL
      AND sink IN (SELECT value->>0 FROM :rows))`;
    const sql = `${change} WHERE sequence IN (
      SELECT sequence FROM events WHERE ${isMeant} AND stored_at < $2 AND last_received_at < $2
        AND ${waitsNowhere} ORDER BY stored_at LIMIT ${EVENTS_AT_ONCE}) RETURNING sequence`;
    for (let removed = 0; ;) {
      const rows = await this.database.transaction(async (tx) => {
        await lockEvents(tx);
        return tx.last(sql, [names, before]);
      });
      removed += rows.length;
      if (rows.length < EVENTS_AT_ONCE) return removed;
    }
  }
}
