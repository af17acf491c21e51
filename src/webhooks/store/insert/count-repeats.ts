import type { Queryable, SqlValue } from '../../../storage/database.js';
import type { ReceivedEvent } from '../webhook-event.js';
import { chunksOf, FROM_THE_START, placeholders } from '../event-sql.js';
import type { InsertPolicy } from './insert-policy.js';

/** Copies of one stored event. */
interface Repeats {
  readonly key: string;
  readonly first: ReceivedEvent;
  copies: number;
}

/**
 * Counts copies that add nothing to the stored events. Events whose last receipt is long past are delivered again: the
 * upstream repairs that way. Copies of one event are counted together and events in chunks, because their
 * number is chosen by the sender. Part of the transaction of `insertEvents`.
 * @returns the first copy of each event that is delivered again
 */
export async function countRepeats(
  tx: Queryable,
  events: readonly ReceivedEvent[],
  policy: InsertPolicy,
  now: number,
): Promise<Set<ReceivedEvent>> {
  const repeats = byKey(events);
  const redelivered = await redeliver(tx, repeats, policy, now);
  for (const chunk of chunksOf([...repeats.values()])) await count(tx, chunk, now);
  return redelivered;
}

function byKey(events: readonly ReceivedEvent[]): Map<string, Repeats> {
  const repeats = new Map<string, Repeats>();
  for (const event of events) {
    const key = event.id;
    const known = repeats.get(key);
    if (known) known.copies += 1;
    else repeats.set(key, { key, first: event, copies: 1 });
  }
  return repeats;
}

async function redeliver(
  tx: Queryable,
  repeats: ReadonlyMap<string, Repeats>,
  policy: InsertPolicy,
  now: number,
): Promise<Set<ReceivedEvent>> {
  const redelivered = new Set<ReceivedEvent>();
  const { redeliverAfterMs } = policy;
  if (redeliverAfterMs === undefined) return redelivered;
  const before = now - redeliverAfterMs;
  for (const keys of chunksOf([...repeats.keys()])) {
    for (const id of await redeliverToOwn(tx, keys, before, now)) redelivered.add(repeats.get(id)!.first);
  }
  const wanted = [...repeats.values()].filter(({ first }) => policy.isWanted(first));
  for (const keys of chunksOf(wanted.map(({ key }) => key))) {
    const rows = await tx.query<{ id: string }>(
      `UPDATE events SET ${FROM_THE_START}, due_at = $1, repeated = 1, webhook_id = NULL
       WHERE received > 0 AND last_received_at < $2 AND state IN ('delivered', 'dead')
         AND id IN (${placeholders(keys.length, 3)}) RETURNING id`,
      [now, before, ...keys],
    );
    for (const { id } of rows) redelivered.add(repeats.get(id)!.first);
  }
  return redelivered;
}

/** Queues events again for the sinks that have queues of their own. @returns their keys */
async function redeliverToOwn(
  tx: Queryable,
  keys: readonly string[],
  before: number,
  now: number,
): Promise<string[]> {
  const rows = await tx.query<{ event_key: string }>(
    `UPDATE event_deliveries SET ${FROM_THE_START}, due_at = $1, retry_at = NULL, repeated = 1, webhook_id = NULL
     WHERE state IN ('delivered', 'dead') AND event_key IN (
       SELECT id FROM events
       WHERE received > 0 AND last_received_at < $2 AND id IN (${placeholders(keys.length, 3)}))
     RETURNING event_key`,
    [now, before, ...keys],
  );
  return rows.map(({ event_key: key }) => key);
}

/** An event whose payload was deleted gets it back. */
async function count(tx: Queryable, chunk: readonly Repeats[], now: number): Promise<void> {
  const row = (index: number): string =>
    `($${3 * index + 1}, CAST($${3 * index + 2} AS INTEGER), $${3 * index + 3})`;
  const values = chunk.map((_, index) => row(index)).join(', ');
  const parameters: SqlValue[] = chunk.flatMap(({ key, first, copies }) => [key, copies, first.payload]);
  await tx.query(
    `WITH repeats (id, copies, payload) AS (VALUES ${values})
     UPDATE events SET received = received + repeats.copies, last_received_at = $${3 * chunk.length + 1},
       payload = COALESCE(events.payload, repeats.payload)
     FROM repeats WHERE events.id = repeats.id`,
    [...parameters, now],
  );
}
