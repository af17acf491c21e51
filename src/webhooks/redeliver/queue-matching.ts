import type { Queryable, SqlValue } from '../../storage/database.js';
import { whereOf, type SqlCondition } from '../../storage/lists/page.js';
import { DEFAULT_SINK, type EventSinks } from '../store/event-sinks.js';
import { FROM_THE_START } from '../store/event-sql.js';
import { queueDeliveries } from '../store/queue-deliveries.js';
import { inStateAt } from '../store/records/sink-states.js';
import { eventsOf, matchingEvents } from './matching-events.js';
import type { HeldRedelivery } from './redelivery.js';

/**
 * Queues the next events of a redelivery, each for the sinks at which it matches. Part of the caller's transaction, which
 * holds `lockEvents`.
 * @returns their places in the order of arrival
 */
export async function queueMatching(
  tx: Queryable,
  { id, filter, asNew, cursor, lastSequence }: HeldRedelivery,
  eventsMax: number,
  { sinks, now }: { readonly sinks: EventSinks; readonly now: number },
): Promise<number[]> {
  const parameters: SqlValue[] = [];
  const after: SqlCondition = ['sequence > ?', cursor];
  const where = whereOf(
    [...matchingEvents(filter, sinks), after, ['sequence <= ?', lastSequence]],
    parameters,
  );
  const rows = await tx.query<{ sequence: number }>(
    `SELECT sequence FROM events ${where} ORDER BY sequence LIMIT ${eventsMax}`,
    parameters,
  );
  const sequences = rows.map(({ sequence }) => sequence);
  if (sequences.length === 0) return [];
  const batch: SqlCondition[] = [...eventsOf(filter), after, ['sequence <= ?', sequences.at(-1)!]];
  const { hasDefault, own } = sinks.chosen(filter.sink);
  const newId = asNew ? `redelivery:${id}` : undefined;
  for (const sink of own) {
    const conditions = [...batch, inStateAt(sink.name, filter.state)];
    await queueDeliveries(tx, sink, conditions, { dueAt: now, redelivery: { newId, of: id } });
  }
  if (hasDefault) {
    await queueDefault(tx, [...batch, inStateAt(DEFAULT_SINK, filter.state)], [now, id, newId ?? null]);
  }
  return sequences;
}

/** @param parameters when they are due, the id of the redelivery, and how new ids begin */
async function queueDefault(
  tx: Queryable,
  conditions: readonly SqlCondition[],
  parameters: SqlValue[],
): Promise<void> {
  await tx.query(
    `UPDATE events SET ${FROM_THE_START}, due_at = $1, redelivery = $2, repeated = 2,
       webhook_id = CAST($3 AS TEXT) || ':' || sequence
     ${whereOf(conditions, parameters)}`,
    parameters,
  );
}
