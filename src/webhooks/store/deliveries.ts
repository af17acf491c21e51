import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database, Row, Transaction } from '../../storage/database.js';
import type { EventState, WebhookEvent } from '../webhook-event.js';

/** `time` is when it began, epoch milliseconds. */
export interface DeliveryAttempt {
  readonly time: number;
  readonly ms: number;
  /** As in the metrics, or `cancelled` by a stop of the service. */
  readonly outcome: 'delivered' | 'failed' | 'dead' | 'cancelled';
  /** Of the answer over HTTP; absent without one. */
  readonly status?: number | undefined;
  readonly reason?: string | undefined;
}

/** Why an event is in a queue: `repeat` if the upstream sent it again, `operator` if one had it redelivered. */
type QueueReason = 'new' | 'repeat' | 'operator';

/** A place in the queue of a sink: of the event of this `sequence`, which is due after the delay. */
export interface Queued {
  readonly event: number;
  readonly sink: string;
  readonly delayMs?: number;
}

/** An event that was claimed for delivery. Its claimer may report on it until the lease ends. */
export interface Claimed extends Omit<WebhookEvent, 'payload'> {
  readonly event: number;
  /** Null once it has been deleted. */
  readonly payload: string | null;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
  /** `webhook-id` of its deliveries: its `id`, or a new one where an operator redelivered it as new. */
  readonly webhookId: string;
  readonly reason: QueueReason;
  /** How long ago it was received. */
  readonly waitedMs: number;
  readonly state: Exclude<EventState, 'stored'>;
  /** Fencing token. */
  readonly lease: number;
  /** Attempts begun since it was queued, this one included. */
  readonly attempts: number;
  /** Failed attempts of the present schedule. */
  readonly failures: number;
  readonly lastFailure: string | null;
  /** Earlier attempts, as the store keeps them. */
  readonly history: string | null;
}

type ClaimedRow = Row &
  Omit<Claimed, 'webhookId' | 'waitedMs'> & { readonly webhookId: string | null; readonly claimedAt: number };

/** The outcome of a claimed delivery. `pauseMs` is the time until it is due again; null when it is finished. */
export type DeliveryReport = Pick<Claimed, 'state' | 'attempts' | 'failures' | 'lastFailure' | 'history'> & {
  readonly pauseMs: number | null;
};

type Waiting = { claimed: Claimed; report: DeliveryReport; recorded: PromiseWithResolvers<boolean> };

/** Attempts that the store keeps of an event at each sink, the latest. */
const ATTEMPTS_KEPT = 10;
/** How often the schedule of one event starts over for a sink that has answered again. */
const RECOVERIES_MAX = 5;
/** Events that are brought forward by one statement, so that webhooks can be stored in between. */
const RECOVERED_AT_ONCE = 500;

/**
 * Queues events for sinks, from the start: one under way can report nothing. One that is completed is a repeat for a
 * sink that may have had it. Under the lock of `lockEvents`.
 * @param newId begins the ids of their deliveries; those of the events without it
 * @param isLast whether the transaction ends with it
 */
export async function queue(
  tx: Transaction,
  queued: readonly Queued[],
  reason: QueueReason,
  { newId, isLast = false }: { readonly newId?: string | undefined; readonly isLast?: boolean } = {},
): Promise<void> {
  if (queued.length === 0) return;
  const rows = JSON.stringify(queued.map(({ event, sink, delayMs = 0 }) => [event, sink, delayMs]));
  const parameters = [rows, reason, newId ?? null];
  const due = ':now + CAST(value->>2 AS BIGINT)'; // until then it waits on purpose
  const sql = `
    INSERT INTO deliveries
      (event, sink, state, reason, webhook_id, queued_at, due_at, lease, attempts, failures, recoveries)
    SELECT CAST(value->>0 AS BIGINT), value->>1, 'pending', $2, CAST($3 AS TEXT) || ':' || (value->>0),
      ${due}, ${due}, 0, 0, 0, 0 FROM :rows WHERE true
    ON CONFLICT (event, sink) DO UPDATE SET state = 'pending',
      reason = CASE WHEN excluded.reason = 'new' AND deliveries.lease > 0 THEN 'repeat' ELSE excluded.reason END,
      webhook_id = excluded.webhook_id, queued_at = excluded.queued_at, due_at = excluded.due_at, claimed_at = NULL,
      attempts = 0, failures = 0, recoveries = 0, last_failure = NULL, lease = deliveries.lease + 1`;
  await (isLast ? tx.last(sql, parameters) : tx.query(sql, parameters));
}

/** A report under an older lease changes nothing. */
export class Deliveries {
  private readonly waiting: Waiting[] = [];
  private reporting = false;

  /** @param leaseMs after this time without a report, the claimer counts as gone and the event is due again */
  constructor(
    private readonly database: Database,
    private readonly sink: string,
    private readonly leaseMs: number,
  ) {}

  /** Claims the events that are due, the longest due first; never one that another replica has claimed. */
  async claim(limit: number): Promise<Claimed[]> {
    const of = (column: string): string =>
      `(SELECT ${column} FROM events WHERE events.sequence = deliveries.event)`;
    const rows = await this.database.query<ClaimedRow>(
      `WITH due AS MATERIALIZED (
         SELECT event FROM deliveries WHERE sink = $1 AND due_at <= :now ORDER BY due_at, event LIMIT $2 :skip_locked)
       UPDATE deliveries SET lease = lease + 1, attempts = attempts + 1, claimed_at = :now,
         due_at = :now + CAST($3 AS BIGINT)
       WHERE sink = $1 AND event IN (SELECT event FROM due)
       RETURNING event, state, reason, lease, attempts, failures, last_failure AS "lastFailure", history,
         claimed_at AS "claimedAt", webhook_id AS "webhookId", ${of('id')} AS id, ${of('type')} AS type,
         ${of('hirer_id')} AS "hirerId", ${of('create_date_time')} AS "createDateTime",
         ${of('received_at')} AS "receivedAt", ${of('payload')} AS payload`,
      [this.sink, limit, this.leaseMs],
    );
    return rows
      .map((row) => ({
        ...row,
        webhookId: row.webhookId ?? row.id,
        waitedMs: row.claimedAt - row.receivedAt,
      }))
      .sort((a, b) => a.event - b.event);
  }

  /**
   * Reports that come while others are written share the next statement, so that they wait for the disk only once.
   * @returns whether it was still claimed under that lease
   */
  report(claimed: Claimed, report: DeliveryReport): Promise<boolean> {
    const recorded = Promise.withResolvers<boolean>();
    this.waiting.push({ claimed, report, recorded });
    void this.writeReports();
    return recorded.promise;
  }

  /** Takes an event out of the queue that the sink is not to get any more. */
  async withdraw({ event, lease }: Claimed): Promise<void> {
    await this.database.transaction(async (tx) => {
      const sql = 'DELETE FROM deliveries WHERE event = $1 AND sink = $2 AND lease = $3';
      await tx.query(sql, [event, this.sink, lease]);
      await tx.query(
        `UPDATE events SET queued = 0 WHERE sequence = $1
           AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event = events.sequence)`,
        [event],
      );
    });
  }

  /**
   * Makes events due at once that failed and wait: the sink has answered again. Their schedule starts over; not that of
   * one that failed after several recoveries, since it is not the sink that fails.
   * @returns true if there may be more; the oldest come first
   */
  async recover(): Promise<boolean> {
    const rows = await this.database.query(
      `WITH oldest AS MATERIALIZED (
         SELECT event FROM deliveries
         WHERE state = 'failed' AND sink = $1 AND claimed_at IS NULL AND due_at > queued_at AND recoveries < ${RECOVERIES_MAX}
         ORDER BY event LIMIT ${RECOVERED_AT_ONCE} :skip_locked)
       UPDATE deliveries SET due_at = CASE WHEN queued_at < :now THEN queued_at ELSE :now END, failures = 0,
         recoveries = recoveries + 1
       WHERE sink = $1 AND event IN (SELECT event FROM oldest) RETURNING event`,
      [this.sink],
    );
    return rows.length === RECOVERED_AT_ONCE;
  }

  private async writeReports(): Promise<void> {
    if (this.reporting) return;
    this.reporting = true;
    while (this.waiting.length > 0) {
      await nextTurn(); // deliveries that have ended by now join
      const batch = this.waiting.splice(0);
      try {
        const written = await this.write(batch);
        for (const { claimed, recorded } of batch) recorded.resolve(written.has(keyOf(claimed)));
      } catch (error) {
        for (const { recorded } of batch) recorded.reject(error);
      }
    }
    this.reporting = false;
  }

  private async write(batch: readonly Waiting[]): Promise<ReadonlySet<string>> {
    const values = batch.map(({ claimed: { event, lease }, report }) => {
      const { state, attempts, failures, lastFailure, history, pauseMs } = report;
      return [event, lease, state, attempts, failures, lastFailure, history, pauseMs && Math.ceil(pauseMs)];
    });
    const rows = await this.database.query<{ event: number; lease: number }>(
      `UPDATE deliveries SET state = value->>2, attempts = CAST(value->>3 AS INTEGER),
         failures = CAST(value->>4 AS INTEGER), last_failure = value->>5, history = value->>6, claimed_at = NULL,
         due_at = :now + CAST(value->>7 AS BIGINT)
       FROM :rows
       WHERE sink = $2 AND event = CAST(value->>0 AS BIGINT) AND lease = CAST(value->>1 AS BIGINT) RETURNING event, lease`,
      [JSON.stringify(values), this.sink],
    );
    return new Set(rows.map(keyOf));
  }
}

function keyOf({ event, lease }: { readonly event: number; readonly lease: number }): string {
  return `${event} ${lease}`;
}

export function appendAttempt(history: string | null, attempt: DeliveryAttempt): string {
  return JSON.stringify([...readAttempts(history), attempt].slice(-ATTEMPTS_KEPT));
}

export function readAttempts(history: string | null | undefined): readonly DeliveryAttempt[] {
  return history ? (JSON.parse(history) as DeliveryAttempt[]) : [];
}
