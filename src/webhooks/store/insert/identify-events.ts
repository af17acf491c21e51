import { hash } from 'node:crypto';
import type { Transaction } from '../../../storage/database.js';
import { DERIVED_ID, type ReceivedEvent } from '../webhook-event.js';

/** An event under the id that it is stored by. */
export interface IdentifiedEvent extends ReceivedEvent {
  /** The id that it came with, where that is another hirer's event. */
  readonly sharedId?: string;
}

/** What the store, and the events before in a call, say of ids. */
interface KnownIds {
  /** Those that are stored. */
  readonly stored: ReadonlySet<string>;
  /** The hirer of each; null where none was named. */
  readonly owners: Map<string, string | null>;
  /** Those under which several hirers were named. */
  readonly shared: Set<string>;
}

/** Twice what the upstream keeps (interface 6). */
const OUTDATED_MS = 180 * 86_400_000;

/** The events of a call, each in its place, and which of their ids are stored. */
export interface IdentifiedEvents {
  /** Undefined for a copy that could be any hirer's, and for an old body that somebody kept. */
  readonly events: readonly (IdentifiedEvent | undefined)[];
  readonly stored: ReadonlySet<string>;
}

/**
 * Tells events of one id apart that name different hirers: the first keeps the id, another has one that is derived from
 * id and hirer, and keeps that when the first is deleted. A copy that names no hirer is of the only one; where there are
 * several, it could be any one's. Under the lock of `insertEvents`.
 */
export async function identifyEvents(
  tx: Transaction,
  events: readonly ReceivedEvent[],
  now: number,
): Promise<IdentifiedEvents> {
  const known = await findKnown(tx, events);
  const identified = events.map((event) => (isOutdated(event, now) ? undefined : identify(event, known)));
  return { events: identified, stored: known.stored };
}

function isOutdated({ trust, createDateTime }: ReceivedEvent, now: number): boolean {
  return trust === 'signed' && createDateTime !== null && Date.parse(createDateTime) < now - OUTDATED_MS;
}

function identify(event: ReceivedEvent, { stored, owners, shared }: KnownIds): IdentifiedEvent | undefined {
  const { id, hirerId } = event;
  const owner = owners.get(id) ?? null;
  if (hirerId === null && shared.has(id)) return undefined;
  const isOfOwner = hirerId === null || owner === null || owner === hirerId;
  if (!isOfOwner || shared.has(id)) {
    const derived = `${DERIVED_ID}${hash('sha256', JSON.stringify([id, hirerId]))}`;
    shared.add(id);
    if (!isOfOwner || stored.has(derived)) return { ...event, id: derived, sharedId: id };
  }
  owners.set(id, owner ?? hirerId);
  return event;
}

/** In one statement: each round trip to the store makes every webhook slower. */
async function findKnown(tx: Transaction, events: readonly ReceivedEvent[]): Promise<KnownIds> {
  const { sql } = tx;
  const ids = JSON.stringify([...new Set(events.map(({ id }) => id))].map((id) => [id]));
  const isAmong = (column: string): string => sql.isAmong(column, `SELECT value->>0 FROM ${sql.rows('$1')}`);
  const rows = await tx.query<{ id: string; hirer_id: string | null; event_id: string | null }>(
    `SELECT id, hirer_id, event_id FROM events WHERE ${isAmong('events.id')}
     UNION ALL SELECT id, hirer_id, event_id FROM events WHERE ${isAmong('event_id')}`,
    [ids],
  );
  return {
    stored: new Set(rows.map(({ id }) => id)),
    owners: new Map(rows.map((row) => [row.id, row.hirer_id])),
    shared: new Set(rows.flatMap((row) => row.event_id ?? [])),
  };
}
