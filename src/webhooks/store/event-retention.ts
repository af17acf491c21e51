import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../../storage/database.js';
import { EventSinks } from './event-sinks.js';
import { placeholders } from './event-sql.js';
import { lockEvents } from './insert/insert-events.js';

/** Events of one statement or transaction, so that webhooks can be stored in between. */
const EVENTS_AT_ONCE = 200;
/** Deletes what was stored of events long ago: first payloads, later whole records. */
@Injectable()
export class EventRetention {
  constructor(
    private readonly database: Database,
    private readonly sinks: EventSinks = EventSinks.SINGLE,
  ) {}

  /**
   * Deletes the payloads of finished events received before that time, and what sinks answered; the rest of each record
   * stays.
   * @returns how many
   */
  async purgePayloads(receivedBefore: number): Promise<number> {
    const sinks = this.sinks.own.map(({ name }) => name);
    let removed = 0;
    for (;;) {
      const count = await this.database.transaction((tx) => purgeNext(tx, receivedBefore, sinks));
      removed += count;
      if (count < EVENTS_AT_ONCE) return removed;
    }
  }

  /**
   * Deletes the records of finished events received before that time whose payloads are deleted, with their deliveries.
   * @returns how many
   */
  async purgeRecords(receivedBefore: number): Promise<number> {
    let removed = 0;
    for (let place = 0; ;) {
      const times = await this.database.transaction((tx) => forgetNext(tx, place, receivedBefore));
      removed += times.length;
      if (times.length < EVENTS_AT_ONCE) return removed;
      place = Math.max(...times);
    }
  }
}

/** @returns of how many events */
async function purgeNext(tx: Transaction, receivedBefore: number, sinks: readonly string[]): Promise<number> {
  await lockEvents(tx); // an event that is being queued again is either due already, or finds no payload
  const waits =
    sinks.length === 0
      ? ''
      : `AND NOT EXISTS (SELECT 1 FROM event_deliveries WHERE event_key = events.id
           AND event_deliveries.due_at IS NOT NULL AND sink IN (${placeholders(sinks.length, 2)}))`;
  const rows = await tx.query<{ id: string }>(
    `UPDATE events SET payload = NULL, history = NULL WHERE sequence IN (
       SELECT sequence FROM events
       WHERE payload IS NOT NULL AND received_at < $1 AND last_received_at < $1 AND due_at IS NULL ${waits}
       ORDER BY received_at LIMIT ${EVENTS_AT_ONCE})
     RETURNING id`,
    [receivedBefore, ...sinks],
  );
  if (rows.length === 0) return 0;
  await tx.query(
    `UPDATE event_deliveries SET history = NULL
     WHERE history IS NOT NULL AND event_key IN (${placeholders(rows.length)})`,
    rows.map(({ id }) => id),
  );
  return rows.length;
}

/**
 * The last event of the sequence stays: numbers must not be given out twice, and readers go by the last one.
 * @returns when the deleted ones were received
 */
async function forgetNext(tx: Transaction, from: number, receivedBefore: number): Promise<number[]> {
  await lockEvents(tx);
  const rows = await tx.query<{ id: string; received_at: number }>(
    `DELETE FROM events WHERE sequence IN (
       SELECT sequence FROM events
       WHERE payload IS NULL AND received_at >= $1 AND received_at < $2 AND last_received_at < $2 AND due_at IS NULL
         AND sequence < (SELECT MAX(sequence) FROM events)
         AND NOT EXISTS (SELECT 1 FROM event_deliveries
           WHERE event_key = events.id AND event_deliveries.due_at IS NOT NULL)
       ORDER BY received_at LIMIT ${EVENTS_AT_ONCE})
     RETURNING id, received_at`,
    [from, receivedBefore],
  );
  if (rows.length === 0) return [];
  const keys = rows.map(({ id }) => id);
  await tx.query(`DELETE FROM event_deliveries WHERE event_key IN (${placeholders(keys.length)})`, keys);
  return rows.map(({ received_at: time }) => time);
}
