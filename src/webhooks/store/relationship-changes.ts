import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../../storage/database.js';
import { readPage, type Page } from '../../storage/lists/page.js';
import type { WebhookEvent } from './webhook-event.js';

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

/** Lists the hirers of events that report a change, for review. Part of the transaction that stores the events. */
export async function noteRelationships(tx: Transaction, changed: readonly WebhookEvent[]): Promise<void> {
  if (changed.length === 0) return;
  await tx.query(
    `INSERT INTO relationship_changes (hirer_id, event_id, changed_at, changes)
     SELECT value->>0, value->>1, :now, CAST(value->>2 AS INTEGER) FROM ${tx.sql.rows('$1')} WHERE true
     ON CONFLICT (hirer_id) DO UPDATE SET event_id = excluded.event_id, changed_at = excluded.changed_at,
       changes = relationship_changes.changes + excluded.changes`,
    [JSON.stringify(changesOf(changed))],
  );
}

/** One for each hirer: its latest event, and how many there are. */
function changesOf(
  changed: readonly WebhookEvent[],
): (readonly [hirerId: string, eventId: string, changes: number])[] {
  const byHirer = Map.groupBy(changed, ({ hirerId }) => hirerId!);
  return [...byHirer].map(([hirerId, events]) => [hirerId, events.at(-1)!.id, events.length] as const);
}
