import { hash } from 'node:crypto';
import type { Row, SqlValue, Transaction } from '../../storage/database.js';
import {
  DERIVED_ID,
  EVENT_COLUMNS,
  isOutdated,
  OUTDATED_MS,
  type IdentifiedEvent,
  type Insertion,
  type ReceivedEvent,
} from '../webhook-event.js';
import { queue } from './deliveries.js';
import type { EventSinks } from './event-sinks.js';
import { joinCopy, type StoredEvent } from './merge-copies.js';

/** Log message for an event whose {@link Insertion} is `conflict`. */
export const CONFLICT = 'an event has the id of another hirer’s event, and is stored under an id of its own';

/** One insertion for each event, in their order; and what is new to read or to deliver, as it is stored now. */
type InsertedEvents = { readonly insertions: readonly Insertion[]; readonly news: readonly ReceivedEvent[] };

/** `lastReceivedAt` and `now` are epoch milliseconds. */
type StoredRow = StoredEvent &
  Row & { sequence: number; copies: number; lastReceivedAt: number; now: number };

/** Any fixed number; {@link lockEvents} of every version takes the same. */
const EVENTS_LOCK = 7_301_943;
/** How long after the last copy of an event another one is only counted. */
const REPEAT_WINDOW_MS = 300_000;
/** Copies of one event in one call that may say something else; what comes beyond them is a repeat. */
const COPIES_MAX = 10;
const STORED_COLUMNS = `${EVENT_COLUMNS}, sequence, payload, copies, last_received_at AS "lastReceivedAt", :now AS now`;

/**
 * Stores and queues events that are new by their ids, and joins copies to theirs, in the transaction of the caller.
 * `sequence` follows the order of commits, so that a reader who has seen one number has missed no smaller one. A
 * webhook's event of more than 180 days ago changes nothing: the upstream keeps events for half that time, so it is an
 * old body that somebody kept, and its record may be deleted. Both clocks have to say so: one that is wrong would lose
 * events.
 * @param isLast whether the transaction ends with it
 * @param now epoch milliseconds by the clock of this process
 */
export async function insertEvents(
  tx: Transaction,
  events: readonly ReceivedEvent[],
  sinks: EventSinks,
  isLast = false,
  now = Date.now(),
): Promise<InsertedEvents> {
  await lockEvents(tx);
  return new EventInsert(tx, sinks, now).insert(events, isLast);
}

/** Makes transactions that change many events run one after another, on all replicas: they would lock each other out. */
export function lockEvents(tx: Transaction): Promise<void> {
  return tx.lock(EVENTS_LOCK);
}

class EventInsert {
  /** Of the events; one that is missing is a repeat. */
  private readonly insertions = new Map<ReceivedEvent, Insertion>();
  private readonly news: ReceivedEvent[] = [];

  constructor(
    private readonly tx: Transaction,
    private readonly sinks: EventSinks,
    private readonly now: number,
  ) {}

  async insert(events: readonly ReceivedEvent[], isLast: boolean): Promise<InsertedEvents> {
    const fresh = await this.insertNew(events, isLast);
    for (const event of fresh) this.note(event, 'stored', event);
    const left = events.filter((event) => !fresh.has(event));
    if (left.length > 0) await this.addCopies(left);
    return { insertions: events.map((event) => this.insertions.get(event) ?? 'repeated'), news: this.news };
  }

  private note(event: ReceivedEvent, insertion: Insertion, news: ReceivedEvent): void {
    this.insertions.set(event, insertion);
    this.news.push(news);
  }

  /**
   * The first event of each id that is new. Events go as JSON texts: on the way to SQLite a text costs a fraction of
   * hundreds of values.
   * @param isLast whether the transaction ends with it, where all are new
   */
  private async insertNew(events: readonly IdentifiedEvent[], isLast = false): Promise<Set<IdentifiedEvent>> {
    const firsts = new Map<string, IdentifiedEvent>();
    for (const event of events) if (!firsts.has(event.id)) firsts.set(event.id, event);
    if (firsts.size === 0) return new Set();
    const rows = [...firsts.values()].map((event, index) => this.toRow(event, index + 1));
    const found = await this.tx.query<{ id: string; sequence: number }>(
      `INSERT INTO events (sequence, id, shared_id, trust, type, hirer_id, subscription_id, request_id, create_date_time,
         payload, queued, copies, received_at, last_received_at, stored_at)
       SELECT top.place + CAST(value->>0 AS BIGINT), value->>1, value->>2, value->>3, value->>4, value->>5, value->>6,
         value->>7, value->>8, value->>9, CAST(value->>10 AS INTEGER), CAST(value->>11 AS INTEGER), :now, :now, :now
       FROM :rows, (SELECT COALESCE(MAX(sequence), 0) AS place FROM events) AS top
       WHERE (value->>12 IS NULL OR CAST(value->>12 AS BIGINT) >= :now - ${OUTDATED_MS})
       ON CONFLICT (id) DO NOTHING RETURNING id, sequence`,
      [JSON.stringify(rows)],
    );
    const fresh = new Map(found.map(({ id, sequence }) => [firsts.get(id)!, sequence]));
    await queue(this.tx, this.sinks.queued(fresh), 'new', { isLast: isLast && fresh.size === events.length });
    return new Set(fresh.keys());
  }

  /** Ends with when it was created, where our clock says that this is too long ago. */
  private toRow(event: IdentifiedEvent, rank: number): SqlValue[] {
    const { id, sharedId = null, trust, type, hirerId, subscriptionId, requestId, createDateTime } = event;
    return [
      ...[rank, id, sharedId, trust, type, hirerId, subscriptionId, requestId, createDateTime, event.payload],
      ...[this.sinks.wanting(event).length > 0 ? 1 : 0, trust === 'signed' ? 1 : 0],
      isOutdated(event, this.now) ? Date.parse(createDateTime!) : null,
    ];
  }

  private async addCopies(copies: readonly ReceivedEvent[]): Promise<void> {
    const known = await this.addRepeats(copies);
    const added = new Map<string, number>();
    for (const copy of copies.filter((one) => !known.has(repeatKey(one)))) {
      const event = JSON.stringify([copy.id, copy.hirerId]);
      const times = (added.get(event) ?? 0) + 1;
      added.set(event, times);
      if (times <= COPIES_MAX) await this.addCopy(copy);
    }
  }

  /** Adds the repeats that are byte for byte what is stored: nearly all, in four statements. @returns their keys */
  private async addRepeats(copies: readonly ReceivedEvent[]): Promise<ReadonlySet<string>> {
    const signed = copies.filter((copy) => copy.trust === 'signed' && !isOutdated(copy, this.now));
    const repeats = Map.groupBy(signed, repeatKey);
    const rows = [...repeats.values()].map((same) => [same[0]!.id, same[0]!.payload, same.length]);
    const parameters = [JSON.stringify(rows)];
    const from = '(SELECT value FROM :rows) AS repeats';
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
      this.note(repeats.get(repeatKey(event))![0]!, 'redelivered', event);
    }
    return new Set(found.map(repeatKey));
  }

  /**
   * Tells events of one id apart that name different hirers: the first keeps the id, another has a derived one. A copy
   * that names no hirer is of the only one; where there are several, it is left out.
   */
  private async addCopy(copy: ReceivedEvent): Promise<void> {
    const { id, hirerId } = copy;
    const derived = `${DERIVED_ID}${hash('sha256', JSON.stringify([id, hirerId]))}`;
    // the event that has the id, and the one that is derived from it; without a hirer, any further hirer's
    const [column, other] = hirerId === null ? ['shared_id', id] : ['id', derived];
    const known = await this.tx.query<StoredRow>(
      `SELECT ${STORED_COLUMNS} FROM events WHERE id = $1
       UNION ALL SELECT * FROM (SELECT ${STORED_COLUMNS} FROM events WHERE ${column} = $2 LIMIT 1) AS other`,
      [id, other],
    );
    if (known.length === 0 || (hirerId === null && known.length > 1)) return; // too old, or any one's
    const own = known.find(
      (event) => hirerId === null || event.hirerId === null || event.hirerId === hirerId,
    );
    if (own) return this.join(own, copy);
    const event = { ...copy, id: derived, sharedId: id };
    if ((await this.insertNew([event])).size > 0) this.note(copy, 'conflict', event);
  }

  /**
   * One that becomes fuller is news: it moves to the end of the sequence and is delivered once more. A copy that adds
   * nothing is counted, unless reconciliation found it, and delivered again if the one before came long ago: the
   * upstream repairs that way.
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
      this.note(copy, 'completed', event);
    } else if (isLate(stored) && (await this.redeliver([{ ...event, sequence }])).size > 0) {
      this.note(copy, 'redelivered', event);
    }
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
    events: readonly Pick<StoredRow, 'sequence' | 'type' | 'hirerId'>[],
  ): Promise<ReadonlySet<number>> {
    if (events.length === 0) return new Set();
    const wanted = new Map(events.map((event) => [event.sequence, this.sinks.wanting(event)]));
    const finished = await this.tx.query<{ event: number; sink: string }>(
      `SELECT event, sink FROM deliveries WHERE state IN ('delivered', 'dead')
         AND event :among`,
      [JSON.stringify([...wanted.keys()])],
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
