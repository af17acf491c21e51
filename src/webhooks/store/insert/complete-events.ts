import type { Queryable, Row, Transaction } from '../../../storage/database.js';
import { chunksOf, FROM_THE_START, placeholders } from '../event-sql.js';
import type { InsertPolicy } from './insert-policy.js';
import { joinCopies, type EventCopy, type JoinedCopy } from './join-copies.js';
import type { EventTrust, ReceivedEvent } from '../webhook-event.js';

/** An event that a copy has completed. */
export interface Completion {
  /** The event as it is stored now. */
  readonly event: ReceivedEvent;
  /** True if its hirer was not known before, or was another. */
  readonly isNewHirer: boolean;
}

interface StoredRow extends Row {
  id: string;
  trust: EventTrust;
  type: string;
  hirer_id: string | null;
  subscription_id: string | null;
  request_id: string | null;
  create_date_time: string | null;
  payload: string | null;
}

/** A stored event, as the copies of one call leave it. */
interface StoredEvent extends EventCopy, Pick<ReceivedEvent, 'id' | 'subscriptionId' | 'requestId'> {}

const COLUMNS = 'id, trust, type, hirer_id, subscription_id, request_id, create_date_time, payload';

/** Delivers the completed form to every target, those that had the thin one included, under the same id. */
const QUEUE = `, ${FROM_THE_START}, due_at = $10, last_failure = NULL, webhook_id = NULL,
  repeated = CASE WHEN lease > 0 THEN 1 ELSE repeated END`;

/**
 * Joins further copies of stored events to them (`joinCopies`). An event that becomes fuller is news: it moves to the
 * end of the sequence and is delivered once more, whatever its delivery had come to. One that was only signed now keeps
 * its place. Part of the transaction of `insertEvents`.
 * @returns the completed events, by the copy that completed them
 */
export async function completeEvents(
  tx: Transaction,
  copies: readonly ReceivedEvent[],
  policy: InsertPolicy,
  now: number,
): Promise<Map<ReceivedEvent, Completion>> {
  const known = await readStored(tx, copies);
  const completions = new Map<ReceivedEvent, Completion>();
  for (const copy of copies) {
    const stored = known.get(copy.id);
    if (!stored) continue; // its record was deleted
    const joined = joinCopies(stored, copy);
    const isNowSigned = joined.trust !== stored.trust;
    if (!joined.isFuller && !isNowSigned) continue;
    const { subscriptionId, requestId } = isNowSigned ? copy : stored;
    const event = { ...joined, id: copy.id, subscriptionId, requestId };
    if (joined.isFuller) {
      await complete(tx, event, copy, policy.isWanted(event), now);
      completions.set(copy, { event, isNewHirer: event.hirerId !== stored.hirerId });
    } else {
      await sign(tx, event);
    }
    known.set(copy.id, event);
  }
  return completions;
}

async function readStored(
  tx: Queryable,
  copies: readonly ReceivedEvent[],
): Promise<Map<string, StoredEvent>> {
  const stored = new Map<string, StoredEvent>();
  for (const ids of chunksOf([...new Set(copies.map(({ id }) => id))])) {
    const rows = await tx.query<StoredRow>(
      `SELECT ${COLUMNS} FROM events WHERE id IN (${placeholders(ids.length)})`,
      ids,
    );
    for (const row of rows) stored.set(row.id, toStored(row));
  }
  return stored;
}

function toStored(row: StoredRow): StoredEvent {
  return {
    id: row.id,
    trust: row.trust,
    type: row.type,
    hirerId: row.hirer_id,
    subscriptionId: row.subscription_id,
    requestId: row.request_id,
    createDateTime: row.create_date_time,
    payload: row.payload,
  };
}

type Joined = StoredEvent & JoinedCopy;

async function complete(
  tx: Transaction,
  event: Joined,
  copy: ReceivedEvent,
  isWanted: boolean,
  now: number,
): Promise<void> {
  const received = copy.trust === 'reconciled' ? 0 : 1;
  await tx.query(
    `UPDATE events SET sequence = ${tx.sql.nextSequence('events')}, ${CONTENT}, received = received + $9, last_received_at = $10,
       first_sequence = CASE WHEN hirer_id = $4 THEN COALESCE(first_sequence, sequence) END
       ${isWanted ? QUEUE : ''}
     WHERE id = $1`,
    [...contentOf(event), received, now],
  );
}

/** Nothing new to read or to deliver: the event keeps its place, and its delivery goes on. */
async function sign(tx: Queryable, event: Joined): Promise<void> {
  await tx.query(`UPDATE events SET ${CONTENT} WHERE id = $1`, contentOf(event));
}

const CONTENT =
  'trust = $2, type = $3, hirer_id = $4, subscription_id = $5, request_id = $6, create_date_time = $7, payload = $8';

function contentOf({ id, trust, type, hirerId, subscriptionId, requestId, ...event }: Joined) {
  return [id, trust, type, hirerId, subscriptionId, requestId, event.createDateTime, event.payload];
}
