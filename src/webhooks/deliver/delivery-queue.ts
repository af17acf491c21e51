import type { Database, Row, SqlValue } from '../../storage/database.js';
import { appendAttempts, type DeliveryAttempt } from '../store/records/delivery-attempts.js';
import { OBJECT_FAILURE, placeholders } from '../store/event-sql.js';
import type { DeliverableEvent } from './event-target.js';
import { HELD_HIRERS_MAX, type Held } from './objects/object-holds.js';
import { EVENTS, type QueueTable } from './queue-table.js';

/** Targets that are not asked again for an event, by name. */
export interface Progress {
  /** They accepted it. */
  readonly done: readonly string[];
  /** They refused it for good. */
  readonly refused: readonly string[];
}

/** An event that was taken for delivery. The taker may report on it until the lease ends. */
export interface TakenEvent extends DeliverableEvent, Progress {
  /** The sink in whose queue it stands. */
  readonly sink: string;
  /** Empty once it has been deleted, or a signed copy has taken the event's place. */
  readonly payload: string;
  readonly sequence: number;
  /** Fencing token: a report under an older one changes nothing. */
  readonly lease: number;
  /** Attempts begun, this one included. */
  readonly attempts: number;
  /** Of them, those before its schedule last started over. */
  readonly scheduleStart: number;
  /** Earlier attempts, as the store keeps them. */
  readonly history: string | null;
}

/** Attempts that did not finish the event. */
export interface Failure extends Progress {
  readonly reason: string;
}

/** Before the name of a target that refused the event, in the column `done`; no name begins so. */
const REFUSED = '!';

/** Events that are left in the store although they are due: of these types, of a hirer. */
export interface HeldEvents extends Held {
  /** Those received before, in epoch milliseconds, are not held. */
  readonly since: number;
}

/** How often the schedule of one event starts over for a target that has recovered. */
const RECOVERIES_MAX = 5;

interface TakenRow extends Row {
  sequence: number;
  id: string;
  type: string;
  hirer_id: string | null;
  create_date_time: string | null;
  received_at: number;
  payload: string | null;
  repeated: number;
  webhook_id: string | null;
  attempts: number;
  schedule_start: number;
  done: string;
  lease: number;
  history: string | null;
}

/**
 * The events of the store as the queue of a sink. Every report is fenced: it returns whether the event was still held
 * under its lease, and changes nothing otherwise.
 */
export class DeliveryQueue {
  private readonly bringForwardStatement: string;

  /**
   * @param leaseMs after this time without a report, the taker counts as gone and the event is due again
   * @param heldTypes types of events that may be held
   */
  constructor(
    private readonly database: Database,
    private readonly leaseMs: number,
    private readonly now: () => number = Date.now,
    private readonly heldTypes: readonly string[] = [],
    private readonly table: QueueTable = EVENTS,
  ) {
    const { name, only } = table;
    const { skipLocked } = database.sql;
    this.bringForwardStatement = `UPDATE ${name} SET due_at = ${sinceReceipt('$3')}, retry_at = NULL, schedule_start = attempts,
        recoveries = recoveries + 1
      WHERE ${only} sequence IN (
        SELECT sequence FROM ${name}
        WHERE ${only} state = 'failed' AND retry_at = due_at AND recoveries < ${RECOVERIES_MAX}
          AND COALESCE(last_failure, '') NOT LIKE '${OBJECT_FAILURE}%'
          AND replace(' ' || done || ' ', $1, '') = ' ' || done || ' '
        ORDER BY sequence LIMIT $2 ${skipLocked})
      RETURNING sequence`;
  }

  /** Takes the events that are due, the longest due first; never one that another replica has taken. */
  async take(limit: number, held?: HeldEvents): Promise<TakenEvent[]> {
    const now = this.now();
    const values: SqlValue[] = [now, now + this.leaseMs, limit];
    const condition = held ? this.conditionOf(held, values) : '';
    const { name, only, columns, sink } = this.table;
    const rows = await this.database.query<TakenRow>(
      `UPDATE ${name} SET lease = lease + 1, attempts = attempts + 1, due_at = $2, retry_at = NULL
       WHERE ${only} sequence IN (
         SELECT sequence FROM ${name} WHERE ${only} due_at <= $1 ${condition} ORDER BY due_at, sequence LIMIT $3
         ${this.database.sql.skipLocked})
       RETURNING sequence, ${columns}, repeated, webhook_id, attempts, schedule_start, done, lease, history`,
      values,
    );
    return rows.sort((a, b) => a.sequence - b.sequence).map((row) => toTaken(row, sink));
  }

  /** True for what is not held; few texts, so that few statements are prepared. */
  private conditionOf({ all, hirers, since }: HeldEvents, values: SqlValue[]): string {
    if (this.heldTypes.length === 0 || (!all && hirers.length === 0)) return '';
    values.push(since, ...this.heldTypes);
    const types = placeholders(this.heldTypes.length, 5);
    const free = `hirer_id IS NULL OR received_at <= $4 OR type NOT IN (${types})`;
    if (all) return `AND (${free})`;
    const last = hirers.at(-1)!;
    const padded = Array.from({ length: HELD_HIRERS_MAX }, (_, index) => hirers[index] ?? last);
    const others = placeholders(HELD_HIRERS_MAX, values.length + 1);
    values.push(...padded);
    return `AND (${free} OR hirer_id NOT IN (${others}))`;
  }

  /** The event is finished: every target accepted it, or none wants it. */
  finish(
    event: TakenEvent,
    state: 'delivered' | 'stored',
    attempts: readonly DeliveryAttempt[] = [],
  ): Promise<boolean> {
    const set = 'state = $3, due_at = NULL, last_failure = NULL, history = $4';
    return this.report(event, set, [state, appendAttempts(event.history, attempts)]);
  }

  /** The event is tried again after a pause. */
  retry(
    event: TakenEvent,
    failure: Failure,
    pauseMs: number,
    attempts: readonly DeliveryAttempt[] = [],
  ): Promise<boolean> {
    const dueAt = Math.ceil(this.now() + pauseMs);
    const set = `state = 'failed', due_at = $3, retry_at = $3, last_failure = $4, done = $5, history = $6`;
    const history = appendAttempts(event.history, attempts);
    return this.report(event, set, [dueAt, failure.reason, progressText(failure), history]);
  }

  /** The event waits for its object: the attempt does not count. */
  postpone(event: TakenEvent, reason: string, pauseMs: number): Promise<boolean> {
    const dueAt = Math.ceil(this.now() + pauseMs);
    const set = 'due_at = $3, retry_at = $3, attempts = attempts - 1, last_failure = $4';
    return this.report(event, set, [dueAt, OBJECT_FAILURE + reason]);
  }

  /** Returns an event as if it had not been taken: it is due at once, in the order of arrival. */
  putBack(event: TakenEvent): Promise<boolean> {
    return this.report(event, `due_at = ${sinceReceipt('$3')}, attempts = attempts - 1`, [this.now()]);
  }

  /** Keeps an event for that much longer. */
  extend(event: TakenEvent, ms: number): Promise<boolean> {
    return this.report(event, 'due_at = $3', [Math.ceil(this.now() + ms)]);
  }

  /**
   * Makes events of a hirer due at once that wait for their objects.
   * @returns their places in the order of arrival; of the oldest, `limit` at most
   */
  async bringForwardObjects(hirerId: string, limit: number): Promise<readonly number[]> {
    const { name, only } = this.table;
    const rows = await this.database.query<{ sequence: number }>(
      `UPDATE ${name} SET due_at = received_at, retry_at = NULL
       WHERE ${only} sequence IN (
         SELECT sequence FROM ${name}
         WHERE ${only} hirer_id = $1 AND retry_at = due_at AND last_failure LIKE '${OBJECT_FAILURE}%'
         ORDER BY sequence LIMIT $2 ${this.database.sql.skipLocked})
       RETURNING sequence`,
      [hirerId, limit],
    );
    return rows.map(({ sequence }) => sequence);
  }

  /** The event is dead until an operator redelivers it. */
  bury(event: TakenEvent, failure: Failure, attempts: readonly DeliveryAttempt[] = []): Promise<boolean> {
    const set = `state = 'dead', due_at = NULL, last_failure = $3, done = $4, history = $5`;
    const history = appendAttempts(event.history, attempts);
    return this.report(event, set, [failure.reason, progressText(failure), history]);
  }

  /** Returns an event whose attempt was cancelled: it is due at once, and the attempt does not count. */
  release(
    event: TakenEvent,
    progress: Progress,
    attempts: readonly DeliveryAttempt[] = [],
  ): Promise<boolean> {
    const set = 'due_at = $3, attempts = attempts - 1, done = $4, history = $5';
    const history = appendAttempts(event.history, attempts);
    return this.report(event, set, [this.now(), progressText(progress), history]);
  }

  /**
   * Makes events due at once that failed and wait for this target: it has recovered. Their schedule starts over. Events
   * under way are left alone, and so is one that failed after several recoveries: it is not the target that fails.
   * @returns how many; the oldest, `limit` at most
   */
  async bringForward(target: string, limit: number): Promise<number> {
    const rows = await this.database.query(this.bringForwardStatement, [` ${target} `, limit, this.now()]);
    return rows.length;
  }

  private async report(event: TakenEvent, set: string, values: SqlValue[]): Promise<boolean> {
    const { name, only } = this.table;
    const rows = await this.database.query(
      `UPDATE ${name} SET ${set} WHERE ${only} sequence = $1 AND lease = $2 RETURNING sequence`,
      [event.sequence, event.lease, ...values],
    );
    return rows.length === 1;
  }
}

/** Due at once, in the order of arrival, and not later for a clock that has been set back since. @param now a parameter */
function sinceReceipt(now: string): string {
  return `CASE WHEN received_at > ${now} THEN ${now} ELSE received_at END`;
}

function progressText({ done, refused }: Progress): string {
  return [...done, ...refused.map((name) => REFUSED + name)].join(' ');
}

function toTaken(row: TakenRow, sink: string): TakenEvent {
  const settled = row.done.split(' ').filter((name) => name !== '');
  return {
    sink,
    sequence: row.sequence,
    id: row.id,
    type: row.type,
    hirerId: row.hirer_id,
    createDateTime: row.create_date_time,
    receivedAt: row.received_at,
    payload: row.payload ?? '',
    webhookId: row.webhook_id ?? row.id,
    isRepeat: row.repeated === 1,
    isRedelivery: row.repeated === 2,
    attempts: row.attempts,
    scheduleStart: row.schedule_start,
    done: settled.filter((name) => !name.startsWith(REFUSED)),
    refused: settled.filter((name) => name.startsWith(REFUSED)).map((name) => name.slice(REFUSED.length)),
    lease: row.lease,
    history: row.history,
  };
}
