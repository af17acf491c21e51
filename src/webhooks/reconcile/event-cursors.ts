import type { Database, Queryable, Row } from '../../storage/database.js';

const LEASE_MS = 60_000;

/**
 * How far the stream has been read, and the right to continue, which one replica at a time holds. It follows what the
 * holder writes.
 */
export interface HeldCursor {
  cursor: string | null;
  /** Where reading started without a cursor, epoch milliseconds; null for the earliest event. */
  since: number | null;
  /** Just before the first event was created that was read without content, epoch milliseconds; null for none. */
  thinSince: number | null;
  /** Fencing token. */
  readonly lease: number;
}

/** The cursor of one scheme's stream. */
export class EventCursors {
  private isThere = false;

  constructor(
    private readonly database: Database,
    private readonly schemeId: string,
  ) {}

  /**
   * Takes the cursor if it is due and no other replica holds it.
   * @param start where the very first reading starts
   * @param isUrgent takes it even before it is due
   */
  async take(start: 'now' | 'earliest', isUrgent: boolean): Promise<HeldCursor | undefined> {
    if (!this.isThere) await this.begin(start);
    const [row] = await this.database.query<HeldCursor & Row>(
      `UPDATE event_cursors SET leased_until = :now + ${LEASE_MS}, lease = lease + 1
       WHERE scheme_id = $1 AND leased_until <= :now ${isUrgent ? '' : 'AND due_at <= :now'}
       RETURNING cursor, since, thin_since AS "thinSince", lease`,
      [this.schemeId],
    );
    return row;
  }

  private async begin(start: 'now' | 'earliest'): Promise<void> {
    await this.database.query(
      `INSERT INTO event_cursors (scheme_id, since) VALUES ($1, ${start === 'now' ? ':now' : 'NULL'})
       ON CONFLICT (scheme_id) DO NOTHING`,
      [this.schemeId],
    );
    this.isThere = true;
  }

  /** Time since the last complete reading, of any replica; undefined before the first. */
  async ageSeconds(): Promise<number | undefined> {
    const [row] = await this.database.query<{ ms: number | null }>(
      'SELECT :now - completed_at AS ms FROM event_cursors WHERE scheme_id = $1',
      [this.schemeId],
    );
    return row?.ms == null ? undefined : Math.max(0, row.ms / 1000);
  }

  /**
   * Moves the cursor, in the transaction that stores the page.
   * @param thinSince just before the first event of the page was created that is stored without content; null for none
   * @throws Error when another replica has taken the cursor meanwhile
   */
  async advance(
    tx: Queryable,
    held: HeldCursor,
    cursor: string | null,
    thinSince: number | null,
  ): Promise<void> {
    held.cursor = cursor ?? held.cursor;
    held.thinSince = earlier(held.thinSince, thinSince);
    const rows = await tx.query(
      `UPDATE event_cursors SET cursor = $1, thin_since = $2, leased_until = :now + ${LEASE_MS}
       WHERE scheme_id = $3 AND lease = $4 RETURNING lease`,
      [held.cursor, held.thinSince, this.schemeId, held.lease],
    );
    if (rows.length === 0) throw new Error('another replica has taken the cursor');
  }

  /** Has the stream read again from a time. */
  async moveBack(held: HeldCursor, since: number, thinSince: number | null): Promise<void> {
    Object.assign(held, { cursor: null, since, thinSince });
    await this.database.query(
      `UPDATE event_cursors SET cursor = NULL, since = $1, thin_since = $2 WHERE scheme_id = $3 AND lease = $4`,
      [since, thinSince, this.schemeId, held.lease],
    );
  }

  /** Returns the cursor until it is due again. */
  async release({ lease }: HeldCursor, dueInMs: number, isComplete: boolean): Promise<void> {
    await this.database.query(
      `UPDATE event_cursors SET leased_until = 0, due_at = :now + CAST($1 AS BIGINT)
         ${isComplete ? ', completed_at = :now' : ''} WHERE scheme_id = $2 AND lease = $3`,
      [dueInMs, this.schemeId, lease],
    );
  }
}

function earlier(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}
