import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Row, Transaction } from '../../../storage/database.js';
import { queue, type Queued } from '../deliveries.js';
import type { EventSinks } from '../event-sinks.js';
import {
  createdAt,
  DERIVED_ID,
  EVENT_COLUMNS,
  OUTDATED_MS,
  type IdentifiedEvent,
  type Insertion,
  type ReceivedEvent,
} from '../webhook-event.js';
import { JoinedEvent, type ArrivedCopy } from './join-copies.js';

/** What the store, and the copies before in a call, say of ids. */
interface KnownIds {
  readonly stored: ReadonlySet<string>;
  /** The hirer of each; null where none was named. */
  readonly owners: Map<string, string | null>;
  /** Those under which several hirers were named. */
  readonly shared: Set<string>;
}

type Stored = Omit<ReceivedEvent, 'payload'> & { readonly sequence: number; readonly payload: string | null };
/** `isLate` is 1 if its last copy came so long ago that another one delivers it again. */
type StoredRow = Stored & Row & { readonly isLate: number };
type Joined = Omit<Stored, 'payload'> & ArrivedCopy;

/** How long after the last copy of an event another one is only counted. */
const REPEAT_WINDOW_MS = 300_000;
/** Events that are read at once: the payload of each may have a megabyte. */
const EVENTS_AT_ONCE = 50;
/** Copies that are joined in one turn of the event loop. */
const COPIES_PER_TURN = 100;

/**
 * The copies under the ids of their events, in order, each with itself as it arrived; one that is left out is a repeat.
 * `stored` has the ids that the store knows.
 */
export async function identifyCopies(tx: Transaction, copies: readonly ReceivedEvent[]) {
  const [clock] = await tx.query<{ now: number }>('SELECT :now AS now');
  const known = await readKnownIds(tx, copies);
  const identified = new Map<IdentifiedEvent, ReceivedEvent>();
  for (const copy of copies) {
    const isOutdated = copy.trust === 'signed' && (createdAt(copy) ?? Infinity) < clock!.now - OUTDATED_MS;
    const event = isOutdated ? undefined : identify(copy, known);
    if (event) identified.set(event, copy);
  }
  return { identified, stored: known.stored };
}

/**
 * Tells events of one id apart that name different hirers: the first keeps the id, another has one that is derived from
 * id and hirer, and keeps that when the first is deleted. A copy that names no hirer is of the only one; where there are
 * several, it could be any one's, and is none's.
 */
function identify(event: ReceivedEvent, { stored, owners, shared }: KnownIds): IdentifiedEvent | undefined {
  const { id, hirerId } = event;
  const owner = owners.get(id) ?? null;
  if (hirerId === null && shared.has(id)) return undefined;
  const isOfOwner = hirerId === null || owner === null || owner === hirerId;
  if (!isOfOwner || shared.has(id)) {
    const derived = `${DERIVED_ID}${hash('sha256', JSON.stringify([id, hirerId]))}`;
    shared.add(id);
    if (!isOfOwner || stored.has(derived)) return { ...event, id: derived, sharedId: id };
  }
  owners.set(id, owner ?? hirerId);
  return event;
}

async function readKnownIds(tx: Transaction, copies: readonly ReceivedEvent[]): Promise<KnownIds> {
  const { sql } = tx;
  const ids = JSON.stringify([...new Set(copies.map(({ id }) => id))].map((id) => [id]));
  const isAmong = (column: string): string => sql.isAmong(column, `SELECT value->>0 FROM ${sql.rows('$1')}`);
  const rows = await tx.query<{ id: string; hirer_id: string | null; shared_id: string | null }>(
    `SELECT id, hirer_id, shared_id FROM events WHERE ${isAmong('events.id')}
     UNION ALL SELECT id, hirer_id, shared_id FROM events WHERE ${isAmong('shared_id')}`,
    [ids],
  );
  return {
    stored: new Set(rows.map(({ id }) => id)),
    owners: new Map(rows.map((row) => [row.id, row.hirer_id])),
    shared: new Set(rows.flatMap((row) => row.shared_id ?? [])),
  };
}

/**
 * Joins copies of stored events to them ({@link JoinedEvent}), event by event, in the order in which they arrived. An event
 * that becomes fuller is news: it moves to the end of the sequence and is delivered once more, whatever its delivery had
 * come to. A copy that adds nothing is counted; it is delivered again if the one before came long ago, since the upstream
 * repairs that way. Part of the transaction of `insertEvents`.
 */
export class CopyJoining {
  /** By copy as it arrived; one that is missing is a repeat. */
  readonly insertions = new Map<ReceivedEvent, Insertion>();
  /** The events that were completed or delivered again, as they are stored now. */
  readonly news: ReceivedEvent[] = [];
  /** Completed events whose hirer was not known before. */
  readonly ofNewHirers: ReceivedEvent[] = [];
  private joined = 0;

  /** @param origins of identified copies, as they arrived */
  constructor(
    private readonly tx: Transaction,
    private readonly sinks: EventSinks,
    private readonly origins: ReadonlyMap<IdentifiedEvent, ReceivedEvent>,
  ) {}

  async joinAll(copies: readonly IdentifiedEvent[]): Promise<void> {
    const byId = [...Map.groupBy(copies, ({ id }) => id)];
    while (byId.length > 0) await this.join(new Map(byId.splice(0, EVENTS_AT_ONCE)));
  }

  /** @param byId copies of some events, by the ids of these */
  private async join(byId: ReadonlyMap<string, readonly IdentifiedEvent[]>): Promise<void> {
    const repeats: (readonly [id: string, copies: number, payload: string])[] = [];
    const late: Joined[] = [];
    const rows = new Map((await this.read([...byId.keys()])).map((row) => [row.id, row]));
    for (const [id, copies] of byId) {
      const stored = rows.get(id);
      if (!stored) continue; // it has just become too old
      const { event, fuller, others } = await this.joinTo(stored, copies);
      if (fuller.length > 0) await this.complete(stored, event, fuller);
      else if (event.trust !== stored.trust) await this.sign(event);
      // one that reconciliation finds again was not sent again, and is not counted
      const [first, ...more] = others.filter(({ trust }) => trust === 'signed');
      if (!first) continue;
      repeats.push([id, 1 + more.length, first.payload]);
      if (stored.isLate === 1 && fuller.length === 0) late.push(event);
    }
    const again = await this.redeliver(late);
    for (const id of again) {
      const first = byId.get(id)!.find(({ trust }) => trust === 'signed')!;
      this.insertions.set(this.origins.get(first)!, 'redelivered');
      this.news.push(first);
    }
    await this.count(repeats);
  }

  private read(ids: readonly string[]): Promise<StoredRow[]> {
    const { sql } = this.tx;
    return this.tx.query<StoredRow>(
      `SELECT ${EVENT_COLUMNS}, sequence, payload,
         CASE WHEN copies > 0 AND last_received_at < :now - ${REPEAT_WINDOW_MS} THEN 1 ELSE 0 END AS "isLate"
       FROM events WHERE ${sql.isAmong('events.id', `SELECT value->>0 FROM ${sql.rows('$1')}`)}`,
      [JSON.stringify(ids.map((id) => [id]))],
    );
  }

  /** @returns the event with its copies, those that made it fuller, and those that did not */
  private async joinTo(stored: Stored, copies: readonly IdentifiedEvent[]) {
    const joining = new JoinedEvent(stored);
    const fuller: IdentifiedEvent[] = [];
    const others: IdentifiedEvent[] = [];
    let { subscriptionId, requestId } = stored;
    for (const copy of copies) {
      const wasSigned = joining.isNowSigned;
      (joining.add(copy) ? fuller : others).push(copy);
      if (joining.isNowSigned !== wasSigned) ({ subscriptionId, requestId } = copy);
      this.joined += 1;
      if (this.joined % COPIES_PER_TURN === 0) await nextTurn();
    }
    const event: Joined = { ...stored, ...joining.joined, subscriptionId, requestId };
    return { event, fuller, others };
  }

  /** Delivers the completed form to every sink, those that had the thin one included, under the same id. */
  private async complete(stored: Stored, event: Joined, fuller: readonly IdentifiedEvent[]): Promise<void> {
    const isWanted = this.sinks.wanting(event).length > 0;
    const [row] = await this.tx.query<{ sequence: number }>(
      `UPDATE events SET sequence = (SELECT MAX(sequence) + 1 FROM events), stored_at = :now, ${CONTENT},
         copies = copies + CAST($9 AS INTEGER), last_received_at = :now,
         first_sequence = CASE WHEN hirer_id = $4 THEN COALESCE(first_sequence, sequence) END
         ${isWanted ? ', queued = 1' : ''}
       WHERE id = $1 RETURNING sequence`,
      [...contentOf(event), fuller.filter(({ trust }) => trust === 'signed').length],
    );
    await queue(this.tx, this.sinks.queued(new Map([[event, row!.sequence]])), 'new');
    for (const copy of fuller) this.insertions.set(this.origins.get(copy)!, 'completed');
    this.news.push(event);
    if (event.hirerId !== stored.hirerId) this.ofNewHirers.push(event);
  }

  /** Nothing new to read or to deliver: the event keeps its place, and its delivery goes on. */
  private async sign(event: Joined): Promise<void> {
    await this.tx.query(`UPDATE events SET ${CONTENT} WHERE id = $1`, contentOf(event));
  }

  /** @returns the ids of the events that were delivered before, or given up, and are now queued again */
  private async redeliver(late: readonly Joined[]): Promise<Set<string>> {
    if (late.length === 0) return new Set();
    const { sql } = this.tx;
    const finished = await this.tx.query<{ event: number; sink: string }>(
      `SELECT event, sink FROM deliveries WHERE state IN ('delivered', 'dead')
         AND ${sql.isAmong('event', `SELECT CAST(value->>0 AS BIGINT) FROM ${sql.rows('$1')}`)}`,
      [JSON.stringify(late.map(({ sequence }) => [sequence]))],
    );
    const ids = new Map(late.map((event) => [event.sequence, event]));
    const isWanted = ({ event, sink }: Queued): boolean => this.sinks.wanting(ids.get(event)!).includes(sink);
    const queued = finished.filter(isWanted);
    await queue(this.tx, queued, 'repeat');
    return new Set(queued.map(({ event }) => ids.get(event)!.id));
  }

  /** An event whose payload was deleted gets it back. */
  private async count(
    repeats: readonly (readonly [id: string, copies: number, payload: string])[],
  ): Promise<void> {
    if (repeats.length === 0) return;
    await this.tx.query(
      `UPDATE events SET copies = copies + CAST(value->>1 AS INTEGER), last_received_at = :now,
         payload = COALESCE(payload, value->>2)
       FROM ${this.tx.sql.rows('$1')} WHERE events.id = value->>0`,
      [JSON.stringify(repeats)],
    );
  }
}

const CONTENT =
  'trust = $2, type = $3, hirer_id = $4, subscription_id = $5, request_id = $6, create_date_time = $7, payload = $8';

function contentOf({ id, trust, type, hirerId, subscriptionId, requestId, ...event }: Joined) {
  return [id, trust, type, hirerId, subscriptionId, requestId, event.createDateTime, event.payload];
}
