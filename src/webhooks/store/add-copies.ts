import { hash } from 'node:crypto';
import type { Row, Transaction } from '../../storage/database.js';
import {
  DERIVED_ID,
  EVENT_COLUMNS,
  isOutdated,
  type IdentifiedEvent,
  type Insertion,
  type ReceivedEvent,
} from '../webhook-event.js';
import { queue } from './deliveries.js';
import type { EventSinks } from './event-sinks.js';
import { joinCopy, type StoredEvent } from './join-copies.js';

/** `lastReceivedAt` and `now` are epoch milliseconds. */
type StoredRow = StoredEvent &
  Row & { sequence: number; copies: number; lastReceivedAt: number; now: number };

const STORED_COLUMNS = `${EVENT_COLUMNS}, sequence, payload, copies, last_received_at AS "lastReceivedAt", :now AS now`;

/** How long after the last copy of an event another one is only counted. */
const REPEAT_WINDOW_MS = 300_000;

/** Copies of one event in one call that may say something else; what comes beyond them is a repeat. */
const COPIES_MAX = 10;

/** Part of the transaction of `insertEvents`. */
export class CopiedEvents {
  /** Of the copies; one that is missing is a repeat. */
  readonly insertions = new Map<ReceivedEvent, Insertion>();
  /** The events with something new to read or to deliver, as they are stored now. */
  readonly news: ReceivedEvent[] = [];

  /**
   * @param insertNew stores and queues an event; false where its id is known, or it is too old
   * @param now epoch milliseconds by the clock of this process
   */
  constructor(
    private readonly tx: Transaction,
    private readonly sinks: EventSinks,
    private readonly insertNew: (event: IdentifiedEvent) => Promise<boolean>,
    private readonly now: number,
  ) {}

  /** Adds copies of stored events, in the order in which they arrived. */
  async add(copies: readonly ReceivedEvent[]): Promise<void> {
    const known = await this.addRepeats(copies);
    const left = copies.filter((copy) => !known.has(repeatKey(copy)));
    const added = new Map<string, number>();
    for (const copy of left) {
      const event = JSON.stringify([copy.id, copy.hirerId]);
      const times = (added.get(event) ?? 0) + 1;
      added.set(event, times);
      if (times <= COPIES_MAX) await this.addOne(copy);
    }
  }

  /**
   * Adds the repeats that are byte for byte what is stored: nearly all, in four statements however many there are.
   * @returns their keys
   */
  private async addRepeats(copies: readonly ReceivedEvent[]): Promise<ReadonlySet<string>> {
    const signed = copies.filter((copy) => copy.trust === 'signed' && !isOutdated(copy, this.now));
    const repeats = Map.groupBy(signed, repeatKey);
    const rows = [...repeats.values()].map((same) => [same[0]!.id, same[0]!.payload, same.length]);
    const parameters = [JSON.stringify(rows)];
    const from = `(SELECT value FROM ${this.tx.sql.rows('$1')}) AS repeats`;
    const where = "events.id = value->>0 AND events.payload = value->>1 AND events.trust = 'signed'";
    const found = await this.tx.query<StoredRow & { payload: string }>(
      `SELECT ${STORED_COLUMNS} FROM events, ${from} WHERE ${where}`,
      parameters,
    );
    await this.tx.query(
      `UPDATE events SET copies = copies + CAST(value->>2 AS INTEGER), last_received_at = :now FROM ${from} WHERE ${where}`,
      parameters,
    );
    const again = await this.redeliver(found.filter(isLate));
    for (const event of found.filter(({ sequence }) => again.has(sequence))) {
      this.insertions.set(repeats.get(repeatKey(event))![0]!, 'redelivered');
      this.news.push(event);
    }
    return new Set(found.map(repeatKey));
  }

  /**
   * Tells events of one id apart that name different hirers: the first keeps the id, another has one that is derived from
   * id and hirer. A copy that names no hirer is of the only one; where there are several, it is left out.
   */
  private async addOne(copy: ReceivedEvent): Promise<void> {
    const { id, hirerId } = copy;
    const derived = `${DERIVED_ID}${hash('sha256', JSON.stringify([id, hirerId]))}`;
    const known = await this.readKnown(id, hirerId === null ? undefined : derived);
    if (known.length === 0 || (hirerId === null && known.length > 1)) return; // too old, or any one's
    const own = known.find(
      (event) => hirerId === null || event.hirerId === null || event.hirerId === hirerId,
    );
    if (own) return this.join(own, copy);
    const event = { ...copy, id: derived, sharedId: id };
    if (!(await this.insertNew(event))) return;
    this.insertions.set(copy, 'conflict');
    this.news.push(event);
  }

  /**
   * Joins a copy to its event. One that becomes fuller is news: it moves to the end of the sequence and is delivered once
   * more, whatever its delivery had come to. A copy that adds nothing is counted, unless reconciliation found it; it is
   * delivered again if the one before came long ago, since the upstream repairs that way.
   */
  private async join(stored: StoredRow, copy: ReceivedEvent): Promise<void> {
    if (isOutdated(copy, Math.min(this.now, stored.now))) return;
    const isSigned = copy.trust === 'signed';
    const { event, isFuller } = joinCopy(stored, { ...copy, id: stored.id }) ?? {
      event: { ...stored, payload: stored.payload ?? copy.payload },
      isFuller: false,
    };
    if (!isSigned && !isFuller) return;
    const sequence = await this.change(event, isSigned, isFuller);
    if (isFuller) {
      await queue(this.tx, this.sinks.queued(new Map([[event, sequence]])), 'new');
      this.insertions.set(copy, 'completed');
      this.news.push(event);
    } else if (isLate(stored) && (await this.redeliver([{ ...event, sequence }])).size > 0) {
      this.insertions.set(copy, 'redelivered');
      this.news.push(event);
    }
  }

  /** The event that has the id, and the one that is derived from it; without one, any further hirer's. */
  private readKnown(id: string, derived: string | undefined): Promise<StoredRow[]> {
    const [column, other] = derived === undefined ? ['shared_id', id] : ['id', derived];
    return this.tx.query(
      `SELECT ${STORED_COLUMNS} FROM events WHERE id = $1
       UNION ALL SELECT * FROM (SELECT ${STORED_COLUMNS} FROM events WHERE ${column} = $2 LIMIT 1) AS other`,
      [id, other],
    );
  }

  /** @returns its place, which is the end if it is fuller */
  private async change(event: ReceivedEvent, isSigned: boolean, isFuller: boolean): Promise<number> {
    const { id, trust, type, hirerId, subscriptionId, requestId, createDateTime, payload } = event;
    const isQueued = isFuller && this.sinks.wanting(event).length > 0;
    const moved = `, sequence = (SELECT MAX(sequence) + 1 FROM events), stored_at = :now, first_sequence =
      CASE WHEN hirer_id = $4 THEN COALESCE(first_sequence, sequence) END ${isQueued ? ', queued = 1' : ''}`;
    const [row] = await this.tx.query<{ sequence: number }>(
      `UPDATE events SET trust = $2, type = $3, hirer_id = $4, subscription_id = $5, request_id = $6,
         create_date_time = $7, payload = $8, copies = copies + ${isSigned ? 1 : 0}, last_received_at = :now
         ${isFuller ? moved : ''} WHERE id = $1 RETURNING sequence`,
      [id, trust, type, hirerId, subscriptionId, requestId, createDateTime, payload],
    );
    return row!.sequence;
  }

  /** Queues events again that were delivered, or given up, at the sinks that want them. @returns the places of those */
  private async redeliver(
    events: readonly (Pick<StoredEvent, 'type' | 'hirerId'> & { readonly sequence: number })[],
  ): Promise<ReadonlySet<number>> {
    if (events.length === 0) return new Set();
    const { sql } = this.tx;
    const wanted = new Map(events.map((event) => [event.sequence, this.sinks.wanting(event)]));
    const finished = await this.tx.query<{ event: number; sink: string }>(
      `SELECT event, sink FROM deliveries WHERE state IN ('delivered', 'dead')
         AND ${sql.isAmong('event', `SELECT CAST(value->>0 AS BIGINT) FROM ${sql.rows('$1')}`)}`,
      [JSON.stringify([...wanted.keys()].map((sequence) => [sequence]))],
    );
    const again = finished.filter(({ event, sink }) => wanted.get(event)!.includes(sink));
    await queue(this.tx, again, 'repeat');
    return new Set(again.map(({ event }) => event));
  }
}

/** True where the last copy came long enough ago for another one to be delivered again. */
function isLate({ copies, lastReceivedAt, now }: StoredRow): boolean {
  return copies > 0 && lastReceivedAt < now - REPEAT_WINDOW_MS;
}

/** The same of two copies that say the same. */
function repeatKey({ id, payload }: Pick<ReceivedEvent, 'id' | 'payload'>): string {
  return JSON.stringify([id, payload]);
}
