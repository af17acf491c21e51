import type { Database, Row } from '../../storage/database.js';
import type { DeliverableEvent } from './event-target.js';
import type { EventTrust } from '../store/webhook-event.js';

/** Targets that are not asked again for an event, by name. */
export interface Progress {
  /** They accepted it. */
  readonly done: readonly string[];
  /** They refused it for good. */
  readonly refused: readonly string[];
}

/** An event that was taken for delivery. The taker may report on it until the lease ends. */
export interface TakenEvent extends DeliverableEvent, Progress {
  readonly sequence: number;
  /** Fencing token: a report under an older one changes nothing. */
  readonly lease: number;
  /** Attempts begun, this one included. */
  readonly attempts: number;
  /** Of them, those before its schedule last started over. */
  readonly scheduleStart: number;
}

/** An attempt that did not finish the event. */
export interface Failure extends Progress {
  readonly reason: string;
}

/** Before the name of a target that refused the event, in the column `done`; no name begins so. */
const REFUSED = '!';

/** How often the schedule of one event starts over for a target that has recovered. */
const RECOVERIES_MAX = 5;

interface TakenRow extends Row {
  sequence: number;
  id: string;
  trust: EventTrust;
  type: string;
  hirer_id: string | null;
  create_date_time: string | null;
  received_at: number;
  payload: string;
  repeated: number;
  webhook_id: string | null;
  attempts: number;
  schedule_start: number;
  done: string;
  lease: number;
}

/**
 * The events of the store as a queue. Every report is fenced: it returns whether the event was still held under its
 * lease, and changes nothing otherwise.
 */
export class DeliveryQueue {
  private readonly takeStatement: string;
  private readonly bringForwardStatement: string;

  /** @param leaseMs after this time without a report, the taker counts as gone and the event is due again */
  constructor(
    private readonly database: Database,
    private readonly leaseMs: number,
    private readonly now: () => number = Date.now,
  ) {
    const { skipLocked } = database.sql;
    this.takeStatement = `UPDATE events SET lease = lease + 1, attempts = attempts + 1, due_at = $2, retry_at = NULL
      WHERE sequence IN (
        SELECT sequence FROM events WHERE due_at <= $1 ORDER BY due_at, sequence LIMIT $3
        ${skipLocked})
      RETURNING sequence, id, trust, type, hirer_id, create_date_time, received_at, payload, repeated,
        webhook_id, attempts, schedule_start, done, lease`;
    this.bringForwardStatement = `UPDATE events SET due_at = received_at, retry_at = NULL, schedule_start = attempts,
        recoveries = recoveries + 1
      WHERE sequence IN (
        SELECT sequence FROM events
        WHERE state = 'failed' AND retry_at = due_at AND recoveries < ${RECOVERIES_MAX}
          AND replace(' ' || done || ' ', $1, '') = ' ' || done || ' '
        ORDER BY sequence LIMIT $2 ${skipLocked})
      RETURNING sequence`;
  }

  /** Takes the events that are due, the longest due first; never one that another replica has taken. */
  async take(limit: number): Promise<TakenEvent[]> {
    const now = this.now();
    const rows = await this.database.query<TakenRow>(this.takeStatement, [now, now + this.leaseMs, limit]);
    return rows.sort((a, b) => a.sequence - b.sequence).map(toTaken);
  }

  /** The event is finished: every target accepted it, or none wants it. */
  finish(event: TakenEvent, state: 'delivered' | 'stored'): Promise<boolean> {
    return this.report(event, 'state = $3, due_at = NULL, last_failure = NULL', [state]);
  }

  /** The event is tried again after a pause. */
  retry(event: TakenEvent, failure: Failure, pauseMs: number): Promise<boolean> {
    const dueAt = Math.ceil(this.now() + pauseMs);
    const set = `state = 'failed', due_at = $3, retry_at = $3, last_failure = $4, done = $5`;
    return this.report(event, set, [dueAt, failure.reason, progressText(failure)]);
  }

  /** The event is dead until an operator redelivers it. */
  bury(event: TakenEvent, failure: Failure): Promise<boolean> {
    const set = `state = 'dead', due_at = NULL, last_failure = $3, done = $4`;
    return this.report(event, set, [failure.reason, progressText(failure)]);
  }

  /** Returns an event whose attempt was cancelled: it is due at once, and the attempt does not count. */
  release(event: TakenEvent, progress: Progress): Promise<boolean> {
    const set = 'due_at = $3, attempts = attempts - 1, done = $4';
    return this.report(event, set, [this.now(), progressText(progress)]);
  }

  /**
   * Makes events due at once that failed and wait for this target: it has recovered. Their schedule starts over. Events
   * under way are left alone, and so is one that failed after several recoveries: it is not the target that fails.
   * @returns how many; the oldest, `limit` at most
   */
  async bringForward(target: string, limit: number): Promise<number> {
    const rows = await this.database.query(this.bringForwardStatement, [` ${target} `, limit]);
    return rows.length;
  }

  private async report(event: TakenEvent, set: string, values: (string | number)[]): Promise<boolean> {
    const rows = await this.database.query(
      `UPDATE events SET ${set} WHERE sequence = $1 AND lease = $2 RETURNING sequence`,
      [event.sequence, event.lease, ...values],
    );
    return rows.length === 1;
  }
}

function progressText({ done, refused }: Progress): string {
  return [...done, ...refused.map((name) => REFUSED + name)].join(' ');
}

function toTaken(row: TakenRow): TakenEvent {
  const settled = row.done.split(' ').filter((name) => name !== '');
  return {
    sequence: row.sequence,
    id: row.id,
    trust: row.trust,
    type: row.type,
    hirerId: row.hirer_id,
    createDateTime: row.create_date_time,
    receivedAt: row.received_at,
    payload: row.payload,
    webhookId: row.webhook_id ?? row.id,
    isRepeat: row.repeated === 1,
    isRedelivery: row.repeated === 2,
    attempts: row.attempts,
    scheduleStart: row.schedule_start,
    done: settled.filter((name) => !name.startsWith(REFUSED)),
    refused: settled.filter((name) => name.startsWith(REFUSED)).map((name) => name.slice(REFUSED.length)),
    lease: row.lease,
  };
}
