import type { Queryable, Row, Transaction } from '../../../storage/database.js';
import { chunksOf, FROM_THE_START, placeholders } from '../event-sql.js';
import type { InsertPolicy } from './insert-policy.js';
import { JoinedEvent, type ArrivedCopy, type EventCopy } from './join-copies.js';
import type { EventTrust, ReceivedEvent } from '../webhook-event.js';

/** What the copies of one call completed. */
export interface Completions {
  /** The events as they are stored now. */
  readonly events: readonly ReceivedEvent[];
  /** Those of them whose hirer was not known before. */
  readonly ofNewHirers: readonly ReceivedEvent[];
  /** The copies that completed them. */
  readonly copies: ReadonlySet<ReceivedEvent>;
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

interface StoredEvent extends EventCopy, Pick<ReceivedEvent, 'id' | 'subscriptionId' | 'requestId'> {}

const COLUMNS = 'id, trust, type, hirer_id, subscription_id, request_id, create_date_time, payload';

/** Delivers the completed form to every target, those that had the thin one included, under the same id. */
const QUEUE = `, ${FROM_THE_START}, due_at = $10, last_failure = NULL, webhook_id = NULL,
  repeated = CASE WHEN lease > 0 THEN 1 ELSE repeated END`;

/**
 * Joins further copies of stored events to them ({@link JoinedEvent}). An event that becomes fuller is news: it moves to
 * the end of the sequence and is delivered once more, whatever its delivery had come to. One that was only signed now
 * keeps its place. In the order in which they arrived. Part of the transaction of `insertEvents`.
 */
export async function completeEvents(
  tx: Transaction,
  copies: readonly ReceivedEvent[],
  policy: InsertPolicy,
  now: number,
): Promise<Completions> {
  const completions = {
    events: [] as ReceivedEvent[],
    ofNewHirers: [] as ReceivedEvent[],
    copies: new Set<ReceivedEvent>(),
  };
  const byId = Map.groupBy(copies, ({ id }) => id);
  for (const ids of chunksOf([...byId.keys()])) {
    const storedById = new Map((await readStored(tx, ids)).map((stored) => [stored.id, stored]));
    for (const id of ids) {
      const stored = storedById.get(id);
      if (!stored) continue;
      const { event, fuller } = join(stored, byId.get(id)!);
      if (fuller.length > 0) {
        await complete(tx, event, fuller, policy.isWanted(event), now);
        completions.events.push(event);
        if (event.hirerId !== stored.hirerId) completions.ofNewHirers.push(event);
        for (const copy of fuller) completions.copies.add(copy);
      } else if (event.trust !== stored.trust) {
        await sign(tx, event);
      }
    }
  }
  return completions;
}

/** @returns the event with its copies, and those that made it fuller */
function join(
  stored: StoredEvent,
  copies: readonly ReceivedEvent[],
): { readonly event: Joined; readonly fuller: readonly ReceivedEvent[] } {
  const joining = new JoinedEvent(stored);
  const fuller: ReceivedEvent[] = [];
  let { subscriptionId, requestId } = stored;
  for (const copy of copies) {
    const wasSigned = joining.isNowSigned;
    if (joining.add(copy)) fuller.push(copy);
    if (joining.isNowSigned !== wasSigned) ({ subscriptionId, requestId } = copy);
  }
  return { event: { ...joining.joined, id: stored.id, subscriptionId, requestId }, fuller };
}

async function readStored(tx: Queryable, ids: readonly string[]): Promise<StoredEvent[]> {
  const rows = await tx.query<StoredRow>(
    `SELECT ${COLUMNS} FROM events WHERE id IN (${placeholders(ids.length)})`,
    ids,
  );
  return rows.map(toStored);
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

type Joined = StoredEvent & ArrivedCopy;

async function complete(
  tx: Transaction,
  event: Joined,
  fuller: readonly ReceivedEvent[],
  isWanted: boolean,
  now: number,
): Promise<void> {
  const received = fuller.filter(({ trust }) => trust === 'signed').length;
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
