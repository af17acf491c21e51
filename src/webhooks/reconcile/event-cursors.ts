import type { Database, Queryable } from '../../storage/database.js';

const LEASE_MS = 60_000;

/** How far the stream has been read, and the right to continue, which one replica at a time holds. */
export interface HeldCursor {
  readonly cursor: string | null;
  /** Where the first reading started, epoch milliseconds; null for the earliest event. */
  readonly since: number | null;
  /** Fencing token. */
  readonly lease: number;
}

/** Thrown when another replica has taken the cursor meanwhile. */
export class CursorLost extends Error {
  override readonly name = 'CursorLost';
}

/** The cursor of one scheme's stream. */
export class EventCursors {
  constructor(
    private readonly database: Database,
    private readonly schemeId: string,
    private readonly now: () => number,
  ) {}

  /**
   * Takes the cursor if it is due and no other replica holds it.
   * @param start where the very first reading starts
   * @param isUrgent takes it even before it is due
   */
  async take(start: 'now' | 'earliest', isUrgent: boolean): Promise<HeldCursor | undefined> {
    const now = this.now();
    await this.database.query(
      'INSERT INTO event_cursors (scheme_id, since) VALUES ($1, $2) ON CONFLICT (scheme_id) DO NOTHING',
      [this.schemeId, start === 'now' ? now : null],
    );
    const [held] = await this.database.query<{ cursor: string | null; since: number | null; lease: number }>(
      `UPDATE event_cursors SET leased_until = $1, lease = lease + 1
       WHERE scheme_id = $2 AND leased_until <= $3 AND due_at <= $4 RETURNING cursor, since, lease`,
      [now + LEASE_MS, this.schemeId, now, isUrgent ? Number.MAX_SAFE_INTEGER : now],
    );
    return held;
  }

  /** Moves the cursor, in the transaction that stores the page. @throws CursorLost */
  async advance(tx: Queryable, { lease }: HeldCursor, cursor: string | null): Promise<void> {
    const rows = await tx.query(
      `UPDATE event_cursors SET cursor = COALESCE($1, cursor), leased_until = $2
       WHERE scheme_id = $3 AND lease = $4 RETURNING lease`,
      [cursor, this.now() + LEASE_MS, this.schemeId, lease],
    );
    if (rows.length === 0) throw new CursorLost('another replica has taken the cursor');
  }

  /** Starts over from a time, when the upstream no longer knows the cursor. */
  async reset({ lease }: HeldCursor, since: number): Promise<void> {
    await this.database.query(
      'UPDATE event_cursors SET cursor = NULL, since = $1 WHERE scheme_id = $2 AND lease = $3',
      [since, this.schemeId, lease],
    );
  }

  /** Returns the cursor until it is due again. */
  async release({ lease }: HeldCursor, dueInMs: number, isComplete: boolean): Promise<void> {
    await this.database.query(
      `UPDATE event_cursors SET leased_until = 0, due_at = $1, completed_at = COALESCE($2, completed_at)
       WHERE scheme_id = $3 AND lease = $4`,
      [this.now() + dueInMs, isComplete ? this.now() : null, this.schemeId, lease],
    );
  }
}
