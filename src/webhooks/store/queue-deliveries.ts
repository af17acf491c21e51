import type { Queryable, SqlValue } from '../../storage/database.js';
import { whereOf, type SqlCondition } from '../../storage/lists/page.js';
import { wantedBy, type OwnSink } from './event-sinks.js';

/** Why and how events are queued. */
export interface Queueing {
  /** When they are due, as SQL. */
  readonly dueAt: 'received_at' | number;
  /** An operator asked for it. */
  readonly redelivery?: {
    /** Under new ids that begin so; under those of the events without it. */
    readonly newId: string | undefined;
    /** The redelivery of many events that they are part of. */
    readonly of: string | undefined;
  };
}

/**
 * Queues the events that match and that the sink wants, from the start: what came of an earlier delivery counts no more,
 * and one under way can report nothing. Without a redelivery, events that may have reached the sink are flagged as
 * repeated. Part of the caller's transaction, which holds `lockEvents`.
 * @param conditions on columns of `events`
 * @returns how many
 */
export async function queueDeliveries(
  tx: Queryable,
  sink: OwnSink,
  conditions: readonly SqlCondition[],
  { dueAt, redelivery }: Queueing,
): Promise<number> {
  const parameters: SqlValue[] = [sink.name, redelivery?.newId ?? null, redelivery?.of ?? null];
  const where = whereOf([...conditions, ...wantedBy(sink)], parameters);
  const due = typeof dueAt === 'number' ? `CAST($${parameters.push(dueAt)} AS BIGINT)` : dueAt;
  const repeated = redelivery
    ? '2'
    : 'CASE WHEN event_deliveries.lease > 0 THEN 1 ELSE event_deliveries.repeated END';
  const rows = await tx.query(
    `INSERT INTO event_deliveries
       (sink, sequence, event_key, hirer_id, type, trust, received_at, state, due_at, repeated, webhook_id, redelivery)
     SELECT $1, sequence, id, hirer_id, type, trust, received_at, 'pending', ${due}, ${redelivery ? 2 : 0},
       CAST($2 AS TEXT) || ':' || sequence, CAST($3 AS TEXT)
     FROM events ${where}
     ON CONFLICT (event_key, sink) DO UPDATE SET sequence = excluded.sequence, hirer_id = excluded.hirer_id,
       type = excluded.type, trust = excluded.trust, state = 'pending', attempts = 0, schedule_start = 0, recoveries = 0,
       done = '', last_failure = NULL, due_at = excluded.due_at, retry_at = NULL, webhook_id = excluded.webhook_id,
       redelivery = COALESCE(excluded.redelivery, event_deliveries.redelivery), repeated = ${repeated},
       lease = event_deliveries.lease + 1
     RETURNING sequence`,
    parameters,
  );
  return rows.length;
}
