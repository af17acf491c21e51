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
    const counted = await this.countRepeats(copies);
    const left = copies.filter((copy) => !counted.has(repeatKey(copy)));
    const added = new Map<string, number>();
    for (const copy of left) {
      const event = JSON.stringify([copy.id, copy.hirerId]);
      const times = (added.get(event) ?? 0) + 1;
      added.set(event, times);
      if (times <= COPIES_MAX) await this.addOne(copy);
    }
  }

  /**
   * Counts the repeats that are byte for byte what is stored, and came soon after the last copy: nearly all, in one
   * statement.
   * @returns their keys
   */
  private async countRepeats(copies: readonly ReceivedEvent[]): Promise<ReadonlySet<string>> {
    const signed = copies.filter((copy) => copy.trust === 'signed' && !isOutdated(copy, this.now));
    const repeats = [...Map.groupBy(signed, repeatKey).values()];
    const rows = repeats.map((same) => [same[0]!.id, same[0]!.payload, same.length]);
    const found = await this.tx.query<{ id: string; payload: string }>(
      `UPDATE events SET copies = copies + CAST(value->>2 AS INTEGER), last_received_at = :now
       FROM ${this.tx.sql.rows('$1')}
       WHERE events.id = value->>0 AND events.payload = value->>1 AND events.trust = 'signed'
         AND last_received_at >= :now - ${REPEAT_WINDOW_MS} RETURNING events.id, events.payload`,
      [JSON.stringify(rows)],
    );
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
    const sinks = this.sinks.wanting(event);
    if (isFuller) {
      await queue(
        this.tx,
        sinks.map((sink) => ({ event: sequence, sink })),
        'new',
      );
      this.insertions.set(copy, 'completed');
      this.news.push(event);
    } else if (stored.copies > 0 && stored.lastReceivedAt < stored.now - REPEAT_WINDOW_MS) {
      if (!(await this.redeliver(sequence, sinks))) return;
      this.insertions.set(copy, 'redelivered');
      this.news.push(event);
    }
  }

  /** The event that has the id, and the one that is derived from it; without one, any further hirer's. */
  private readKnown(id: string, derived: string | undefined): Promise<StoredRow[]> {
    const columns = `${EVENT_COLUMNS}, sequence, payload, copies, last_received_at AS "lastReceivedAt", :now AS now`;
    const [column, other] = derived === undefined ? ['shared_id', id] : ['id', derived];
    return this.tx.query(
      `SELECT ${columns} FROM events WHERE id = $1
       UNION ALL SELECT * FROM (SELECT ${columns} FROM events WHERE ${column} = $2 LIMIT 1) AS other`,
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

  /** Queues an event again that was delivered, or given up. @returns whether it was, at any of the sinks */
  private async redeliver(event: number, sinks: readonly string[]): Promise<boolean> {
    const finished = await this.tx.query<{ sink: string }>(
      "SELECT sink FROM deliveries WHERE event = $1 AND state IN ('delivered', 'dead')",
      [event],
    );
    const again = finished.filter(({ sink }) => sinks.includes(sink)).map(({ sink }) => ({ event, sink }));
    await queue(this.tx, again, 'repeat');
    return again.length > 0;
  }
}

/** The same of two copies that say the same. */
function repeatKey({ id, payload }: Pick<ReceivedEvent, 'id' | 'payload'>): string {
  return JSON.stringify([id, payload]);
}
