import type { Page } from '../../storage/page.js';
import type { Database } from '../../storage/database.js';

/** A hirer whose relationship with the partner changed, until a person has looked at it. */
export interface RelationshipChange {
  readonly hirerId: string;
  /** The latest event that told of it. */
  readonly eventId: string;
  /** ISO 8601. */
  readonly changedAt: string;
  /** How often it changed since somebody looked. */
  readonly changes: number;
}

const PAGE_ITEMS = 100;

type ChangeRow = { hirer_id: string; event_id: string; changed_at: number; changes: number };

/** The list for triage. Rows come with the events themselves, in their transaction. */
export class RelationshipChanges {
  constructor(private readonly database: Database) {}

  /** By hirer id. @param after the last hirer id of the page before */
  async list(after = ''): Promise<Page<RelationshipChange>> {
    const rows = await this.database.query<ChangeRow>(
      `SELECT hirer_id, event_id, changed_at, changes FROM relationship_changes WHERE hirer_id > $1
       ORDER BY hirer_id LIMIT ${PAGE_ITEMS + 1}`,
      [after],
    );
    const items = rows.slice(0, PAGE_ITEMS).map((row) => ({
      hirerId: row.hirer_id,
      eventId: row.event_id,
      changedAt: new Date(row.changed_at).toISOString(),
      changes: row.changes,
    }));
    return { items, next: rows.length > PAGE_ITEMS ? items.at(-1)!.hirerId : null };
  }

  /** Takes a hirer off the list; false when it is not on it. */
  async settle(hirerId: string): Promise<boolean> {
    const rows = await this.database.query<{ hirer_id: string }>(
      'DELETE FROM relationship_changes WHERE hirer_id = $1 RETURNING hirer_id',
      [hirerId],
    );
    return rows.length === 1;
  }
}
