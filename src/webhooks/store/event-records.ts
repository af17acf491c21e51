import type { Page } from '../../storage/page.js';
import type { Database, Row, SqlValue } from '../../storage/database.js';
import { parseExact } from '../../http/exact-json.js';
import type { EventState, EventTrust } from './webhook-event.js';

/** An event as ops see it (contract, ops routes). Times are ISO 8601. */
export interface EventRecord {
  readonly id: string;
  readonly trust: EventTrust;
  readonly type: string;
  readonly hirerId: string | null;
  readonly subscriptionId: string | null;
  /** Of the webhook that brought it; null when reconciliation did. */
  readonly requestId: string | null;
  readonly createDateTime: string | null;
  readonly receivedAt: string;
  readonly state: EventState;
  /** Deliveries begun since the event came, or was last asked for. */
  readonly attempts: number;
  /** How often the upstream sent it again. */
  readonly repeats: number;
  /** When it is delivered (next). */
  readonly dueAt: string | null;
  readonly lastFailure: string | null;
  /** Null once its time of retention is over. */
  readonly payload: unknown;
}

/** Which events to list; the latest first. */
export interface EventFilter {
  readonly state?: EventState | undefined;
  readonly type?: string | undefined;
  readonly hirer?: string | undefined;
  /** Cursor: only events before this one. */
  readonly after?: number | undefined;
}

/** What came of asking for an event to be delivered again. */
export type Redelivery =
  { readonly kind: 'queued'; readonly event: EventRecord } | { readonly kind: 'unknown' | 'purged' };

interface EventRow extends Row {
  sequence: number;
  id: string;
  event_id: string | null;
  trust: EventTrust;
  type: string;
  hirer_id: string | null;
  subscription_id: string | null;
  request_id: string | null;
  create_date_time: string | null;
  received_at: number;
  received: number;
  payload: string | null;
  state: EventState;
  attempts: number;
  last_failure: string | null;
  due_at: number | null;
}

const PAGE_ITEMS = 100;
const PURGE_ITEMS = 1_000;
const COLUMNS =
  'sequence, id, event_id, trust, type, hirer_id, subscription_id, request_id, create_date_time, received_at, received, payload, state, attempts, last_failure, due_at';

/** The events of the store, as records. */
export class EventRecords {
  constructor(
    private readonly database: Database,
    private readonly now: () => number = Date.now,
  ) {}

  async list(filter: EventFilter): Promise<Page<EventRecord>> {
    const { sql, parameters } = selectEvents(filter);
    const rows = await this.database.query<EventRow>(sql, parameters);
    const items = rows.slice(0, PAGE_ITEMS);
    const last = items.at(-1);
    return {
      items: items.map(toRecord),
      next: last && rows.length > PAGE_ITEMS ? String(last.sequence) : null,
    };
  }

  /**
   * Delivers an event again, to everyone who wants it, under the same id; a delivery under way counts no more. If several
   * unsigned subscriptions sent the id, each of their events is delivered again.
   */
  async redeliver(id: string): Promise<Redelivery> {
    const [row] = await this.database.query<EventRow>(
      `UPDATE events SET state = 'pending', due_at = $2, attempts = 0, done = '', lease = lease + 1
       WHERE (id = $1 OR event_id = $1) AND payload IS NOT NULL RETURNING ${COLUMNS}`,
      [id, this.now()],
    );
    if (row) return { kind: 'queued', event: toRecord(row) };
    const known = await this.database.query('SELECT id FROM events WHERE id = $1 OR event_id = $1', [id]);
    return { kind: known.length > 0 ? 'purged' : 'unknown' };
  }

  /** Forgets the payloads of finished events received before that time, and nothing else of them. */
  async purge(receivedBefore: number): Promise<void> {
    for (let purged = PURGE_ITEMS; purged === PURGE_ITEMS;) {
      const rows = await this.database.query(
        `UPDATE events SET payload = NULL WHERE sequence IN (
           SELECT sequence FROM events
           WHERE payload IS NOT NULL AND received_at < $1 AND last_received_at < $1 AND due_at IS NULL
           ORDER BY received_at LIMIT ${PURGE_ITEMS})
         RETURNING sequence`,
        [receivedBefore],
      );
      purged = rows.length;
    }
  }
}

function selectEvents({ state, type, hirer, after }: EventFilter): { sql: string; parameters: SqlValue[] } {
  const conditions = [
    ['state =', state],
    ['type =', type],
    ['hirer_id =', hirer],
    ['sequence <', after],
  ].filter((condition): condition is [string, string | number] => condition[1] !== undefined);
  const where = ["trust <> 'superseded'", ...conditions.map(([test], index) => `${test} $${index + 1}`)];
  const sql = `SELECT ${COLUMNS} FROM events WHERE ${where.join(' AND ')} ORDER BY sequence DESC LIMIT ${PAGE_ITEMS + 1}`;
  return { sql, parameters: conditions.map(([, value]) => value) };
}

function toRecord(row: EventRow): EventRecord {
  return {
    id: row.event_id ?? row.id,
    trust: row.trust,
    type: row.type,
    hirerId: row.hirer_id,
    subscriptionId: row.subscription_id,
    requestId: row.request_id,
    createDateTime: row.create_date_time,
    receivedAt: new Date(row.received_at).toISOString(),
    state: row.state,
    attempts: row.attempts,
    repeats: Math.max(0, row.received - 1),
    dueAt: row.due_at === null ? null : new Date(row.due_at).toISOString(),
    lastFailure: row.last_failure,
    payload: row.payload === null ? null : parseExact(row.payload),
  };
}
