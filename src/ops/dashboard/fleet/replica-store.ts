import type { Queryable, Row } from '../../../storage/database.js';

/** As many replicas as are read: those seen last. */
const REPLICAS_MAX = 32;

/** A replica as it described itself. Times are epoch milliseconds of its own clock. */
export interface ReplicaRow extends Row {
  /** Of one start of the service. */
  id: string;
  name: string;
  version: string;
  started_at: number;
  seen_at: number;
  state: string;
  /** JSON, of whatever version wrote it. */
  figures: string | null;
}

/** The replicas that use the database, each of which keeps its own row up to date. */
export class ReplicaStore {
  constructor(private readonly database: Queryable) {}

  async write({ id, name, version, started_at, seen_at, state, figures }: ReplicaRow): Promise<void> {
    await this.database.query(
      `INSERT INTO replicas (id, name, version, started_at, seen_at, state, figures)
       VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (id) DO UPDATE
       SET started_at = excluded.started_at, seen_at = excluded.seen_at,
         state = excluded.state, figures = excluded.figures`,
      [id, name, version, started_at, seen_at, state, figures],
    );
  }

  /** All but that one, the one seen last first; 32 at most. */
  readOthers(id: string): Promise<ReplicaRow[]> {
    return this.database.query<ReplicaRow>(
      `SELECT id, name, version, started_at, seen_at, state, figures FROM replicas
       WHERE id <> $1 ORDER BY seen_at DESC, id LIMIT ${REPLICAS_MAX}`,
      [id],
    );
  }

  async remove(id: string): Promise<void> {
    await this.database.query('DELETE FROM replicas WHERE id = $1', [id]);
  }

  /** Removes those that were last seen before that time. */
  async purge(before: number): Promise<void> {
    await this.database.query('DELETE FROM replicas WHERE seen_at < $1', [before]);
  }
}
