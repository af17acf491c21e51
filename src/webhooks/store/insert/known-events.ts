import type { Transaction } from '../../../storage/database.js';
import { digestOf } from '../past-events.js';
import { keyOf, type ReceivedEvent } from '../webhook-event.js';

/**
 * What the store knows of some events, by their keys and ids. A trusted event's key is its id; an unsigned one's key has
 * a prefix of its own, so that a set may hold keys of the ones and ids of the others.
 */
export interface KnownEvents {
  /** Keys of events that are stored. */
  readonly stored: ReadonlySet<string>;
  /** Ids of events that a trusted source has reported, their records deleted or not. */
  readonly reported: ReadonlySet<string>;
  /** Ids of which there are unsigned copies. */
  readonly unsigned: ReadonlySet<string>;
  /** Keys and ids of events whose records were deleted. */
  readonly past: ReadonlySet<string>;
}

type Kind = 'trusted' | 'untrusted' | 'copy' | 'past';

/**
 * Looks up everything that decides what becomes of some events, in one statement: each round trip to the store makes
 * every webhook slower. Under the lock of `insertEvents`, so that it stays true until the end of the transaction.
 */
export async function findKnown(tx: Transaction, events: readonly ReceivedEvent[]): Promise<KnownEvents> {
  const names = new Set(events.map(keyOf));
  for (const { id, trust } of events) if (trust === 'unsigned') names.add(id);
  const rows = await tx.query<{ name: string; kind: Kind }>(selectKnown(tx), [
    JSON.stringify([...names].map((name) => [name, digestOf(name)])),
  ]);
  const of = (...kinds: Kind[]) =>
    new Set(rows.filter(({ kind }) => kinds.includes(kind)).map(({ name }) => name));
  return {
    stored: of('trusted', 'untrusted'),
    reported: of('trusted', 'past'),
    unsigned: of('copy'),
    past: of('past'),
  };
}

/** `$1` has a row for each name: the name and its digest. Only what came unsigned has an `event_id` beside its key. */
function selectKnown({ sql }: Transaction): string {
  const rows = sql.rows('$1');
  const isAmong = (column: string): string => sql.isAmong(column, `SELECT value->>0 FROM ${rows}`);
  return `
    SELECT id AS name, CASE WHEN event_id IS NULL THEN 'trusted' ELSE 'untrusted' END AS kind
      FROM events WHERE ${isAmong('events.id')}
    UNION ALL SELECT event_id, 'copy' FROM events WHERE trust = 'unsigned' AND ${isAmong('event_id')}
    UNION ALL SELECT value->>0, 'past' FROM ${rows}
      WHERE (SELECT 1 FROM past_events WHERE digest = ${sql.fromHex('value->>1')}) IS NOT NULL`;
}
