import type { Database, Queryable } from '../../storage/database.js';

const LEASE_MS = 60_000;

/** How far the stream has been read, and the right to read on: one replica at a time holds it. */
export interface HeldCursor {
  readonly cursor: string | null;
  /** Epoch milliseconds; where the first reading started, null for the earliest event. */
  readonly since: number | null;
  /** Fencing token. */
  readonly lease: number;
}

/** Thrown when another replica reads by now. */
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
   * Takes the cursor if nobody else holds it and it is due.
   * @param start where the very first reading starts
   * @param isUrgent takes it before it is due, too
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

  /** Moves on, as part of the transaction that stores what was read. @throws CursorLost */
  async advance(tx: Queryable, { lease }: HeldCursor, cursor: string | null): Promise<void> {
    const rows = await tx.query(
      `UPDATE event_cursors SET cursor = COALESCE($1, cursor), leased_until = $2
       WHERE scheme_id = $3 AND lease = $4 RETURNING lease`,
      [cursor, this.now() + LEASE_MS, this.schemeId, lease],
    );
    if (rows.length === 0) throw new CursorLost('another replica reads the events by now');
  }

  /** Starts over from a time: the upstream does not know the cursor any more. @throws CursorLost */
  async reset({ lease }: HeldCursor, since: number): Promise<void> {
    await this.database.query(
      'UPDATE event_cursors SET cursor = NULL, since = $1 WHERE scheme_id = $2 AND lease = $3',
      [since, this.schemeId, lease],
    );
  }

  /** Gives the cursor back until it is due again. */
  async release({ lease }: HeldCursor, dueInMs: number, isComplete: boolean): Promise<void> {
    await this.database.query(
      `UPDATE event_cursors SET leased_until = 0, due_at = $1, completed_at = COALESCE($2, completed_at)
       WHERE scheme_id = $3 AND lease = $4`,
      [this.now() + dueInMs, isComplete ? this.now() : null, this.schemeId, lease],
    );
  }
}
