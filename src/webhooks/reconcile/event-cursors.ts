import type { Database, Queryable, Row } from '../../storage/database.js';

/** A page may take as long as `UPSTREAM_TIMEOUT_MS`, and longer where it is asked for again. */
const LEASE_MS = 150_000;

/** How far the stream has been read, and the right to continue, which one replica at a time holds. */
export interface HeldCursor {
  cursor: string | null;
  /** Where reading started without a cursor, epoch milliseconds; null for the earliest event. */
  readonly since: number | null;
  /** Fencing token. */
  readonly lease: number;
}

export class EventCursors {
  constructor(
    private readonly database: Database,
    private readonly schemeId: string,
  ) {}

  /** Takes the cursor if it is due, or urgent, and no other replica holds it. @param start of the very first reading */
  async take(start: 'now' | 'earliest', isUrgent: boolean): Promise<HeldCursor | undefined> {
    await this.database.query(
      `INSERT INTO event_cursors (scheme_id, since) VALUES ($1, ${start === 'now' ? ':now' : 'NULL'})
       ON CONFLICT (scheme_id) DO NOTHING`,
      [this.schemeId],
    );
    const [row] = await this.database.query<HeldCursor & Row>(
      `UPDATE event_cursors SET leased_until = :now + ${LEASE_MS}, lease = lease + 1
       WHERE scheme_id = $1 AND leased_until <= :now ${isUrgent ? '' : 'AND due_at <= :now'}
       RETURNING cursor, since, lease`,
      [this.schemeId],
    );
    return row;
  }

  async ageSeconds(): Promise<number | undefined> {
    const [row] = await this.database.query<{ ms: number | null }>(
      'SELECT :now - completed_at AS ms FROM event_cursors WHERE scheme_id = $1',
      [this.schemeId],
    );
    return row?.ms == null ? undefined : Math.max(0, row.ms / 1000);
  }

  /** Writes how far it is, in the transaction that stores the page. @throws Error when another replica has taken it */
  async keep(tx: Queryable, { cursor, lease }: HeldCursor): Promise<void> {
    const rows = await tx.query(
      `UPDATE event_cursors SET cursor = $1, leased_until = :now + ${LEASE_MS}
       WHERE scheme_id = $2 AND lease = $3 RETURNING lease`,
      [cursor, this.schemeId, lease],
    );
    if (rows.length === 0) throw new Error('another replica has taken the cursor');
  }

  async release({ lease }: HeldCursor, dueInMs: number, isComplete: boolean): Promise<void> {
    await this.database.query(
      `UPDATE event_cursors SET leased_until = 0, due_at = :now + CAST($1 AS BIGINT)
         ${isComplete ? ', completed_at = :now' : ''} WHERE scheme_id = $2 AND lease = $3`,
      [dueInMs, this.schemeId, lease],
    );
  }
}
