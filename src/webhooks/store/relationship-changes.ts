import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../../storage/database.js';
import { readPage, type Page } from '../../storage/lists/page.js';
import { chunksOf, placeholders } from './event-sql.js';
import { RELATIONSHIP_CHANGED, type WebhookEvent } from './webhook-event.js';

/** A hirer whose relationship with the partner changed and has not been reviewed since. */
export interface RelationshipChange {
  readonly hirerId: string;
  /** The latest event that reported it. */
  readonly eventId: string;
  /** ISO 8601. */
  readonly changedAt: string;
  /** How often it changed since the last review. */
  readonly changes: number;
}

const PAGE_ITEMS = 100;

type ChangeRow = { hirer_id: string; event_id: string; changed_at: number; changes: number };

/** The hirers to review. Rows are inserted with the events themselves, in the same transaction. */
@Injectable()
export class RelationshipChanges {
  constructor(private readonly database: Database) {}

  /** By hirer id. @param after the last hirer id of the previous page */
  list(after?: string): Promise<Page<RelationshipChange>> {
    return readPage<ChangeRow, RelationshipChange>(this.database, {
      select: 'SELECT hirer_id, event_id, changed_at, changes FROM relationship_changes',
      conditions: [['hirer_id > ?', after]],
      orderBy: 'hirer_id',
      itemsMax: PAGE_ITEMS,
      toItem: (row) => ({
        hirerId: row.hirer_id,
        eventId: row.event_id,
        changedAt: new Date(row.changed_at).toISOString(),
        changes: row.changes,
      }),
      cursorOf: (row) => row.hirer_id,
    });
  }

  /** Removes a reviewed hirer; false when it is not listed. */
  async settle(hirerId: string): Promise<boolean> {
    const rows = await this.database.query<{ hirer_id: string }>(
      'DELETE FROM relationship_changes WHERE hirer_id = $1 RETURNING hirer_id',
      [hirerId],
    );
    return rows.length === 1;
  }
}

/** Lists the hirers that these events report, for review. Part of the transaction that stores the events. */
export async function noteRelationships(
  tx: Queryable,
  events: readonly WebhookEvent[],
  now: number,
): Promise<void> {
  for (const chunk of chunksOf(changesOf(events))) {
    const rows = chunk.map((_, index) => `(${placeholders(4, 4 * index + 1)})`).join(', ');
    await tx.query(
      `INSERT INTO relationship_changes (hirer_id, event_id, changed_at, changes) VALUES ${rows}
       ON CONFLICT (hirer_id) DO UPDATE SET event_id = excluded.event_id, changed_at = excluded.changed_at,
         changes = relationship_changes.changes + excluded.changes`,
      chunk.flatMap(({ hirerId, eventId, changes }) => [hirerId, eventId, now, changes]),
    );
  }
}

/** One for each hirer, with its latest event. */
function changesOf(events: readonly WebhookEvent[]): Omit<RelationshipChange, 'changedAt'>[] {
  const changes = new Map<string, Omit<RelationshipChange, 'changedAt'>>();
  for (const { id: eventId, type, hirerId } of events) {
    if (type !== RELATIONSHIP_CHANGED || hirerId === null) continue;
    changes.set(hirerId, { hirerId, eventId, changes: (changes.get(hirerId)?.changes ?? 0) + 1 });
  }
  return [...changes.values()];
}
