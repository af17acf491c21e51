import type { Transaction } from '../../../storage/database.js';
import type { Queued } from '../deliveries.js';
import type { EventSinks } from '../event-sinks.js';
import type { ReceivedEvent } from '../webhook-event.js';

/** An event under the id that it is stored by. */
export interface IdentifiedEvent extends ReceivedEvent {
  /** The id that it came with, where that is another hirer's event. */
  readonly sharedId?: string;
}

/** Twice what the upstream keeps (interface 6). */
export const OUTDATED_MS = 180 * 86_400_000;

/**
 * Inserts the first event of each id that is new. Events go as JSON texts: on SQLite's way between threads, and in its
 * statement, a text costs a fraction of what hundreds of values do.
 * @param areIdentified if not, an id that several hirers' events share is left out
 * @returns their `sequence`
 */
export async function insertNew(
  tx: Transaction,
  events: readonly IdentifiedEvent[],
  sinks: EventSinks,
  areIdentified = false,
): Promise<Map<IdentifiedEvent, number>> {
  const firsts = new Map<string, IdentifiedEvent>();
  for (const event of events) if (!firsts.has(event.id)) firsts.set(event.id, event);
  const rows = JSON.stringify([...firsts.values()].map((event, index) => toRow(event, index + 1, sinks)));
  const found = await tx.query<{ id: string; sequence: number }>(insertStatement(tx, areIdentified), [rows]);
  return new Map(found.map(({ id, sequence }) => [firsts.get(id)!, sequence]));
}

/** `$1` has the rows of {@link toRow}. */
function insertStatement({ sql }: Transaction, areIdentified: boolean): string {
  const sharing = '(SELECT 1 FROM events AS other WHERE other.shared_id = value->>1 LIMIT 1)'; // looked up for each
  return `
    INSERT INTO events (sequence, id, shared_id, trust, type, hirer_id, subscription_id, request_id, create_date_time,
      payload, queued, copies, received_at, last_received_at, stored_at)
    SELECT top.place + CAST(value->>0 AS BIGINT), value->>1, value->>2, value->>3, value->>4, value->>5, value->>6,
      value->>7, value->>8, value->>9, CAST(value->>10 AS INTEGER), CAST(value->>11 AS INTEGER), :now, :now, :now
    FROM ${sql.rows('$1')}, (SELECT COALESCE(MAX(sequence), 0) AS place FROM events) AS top
    WHERE (value->>12 IS NULL OR CAST(value->>12 AS BIGINT) >= :now - ${OUTDATED_MS})
      ${areIdentified ? '' : `AND ${sharing} IS NULL`}
    ON CONFLICT (id) DO NOTHING RETURNING id, sequence`;
}

function toRow(event: IdentifiedEvent, rank: number, sinks: EventSinks): readonly (string | number | null)[] {
  const {
    id,
    sharedId = null,
    trust,
    type,
    hirerId,
    subscriptionId,
    requestId,
    createDateTime,
    payload,
  } = event;
  const isWanted = sinks.wanting(event).length > 0;
  const isSigned = trust === 'signed';
  return [
    ...[rank, id, sharedId, trust, type, hirerId, subscriptionId, requestId, createDateTime, payload],
    ...[isWanted ? 1 : 0, isSigned ? 1 : 0, isSigned ? createdAt(event) : null],
  ];
}

/** When an event was created, epoch milliseconds; null where it does not say. */
export function createdAt({ createDateTime }: Pick<ReceivedEvent, 'createDateTime'>): number | null {
  return createDateTime === null ? null : Date.parse(createDateTime);
}

/** The places of events in the queues of the sinks that want them. @param sequences by event */
export function queuedFor(sequences: ReadonlyMap<ReceivedEvent, number>, sinks: EventSinks): Queued[] {
  return [...sequences].flatMap(([event, sequence]) =>
    sinks.wanting(event).map((sink) => ({ event: sequence, sink })),
  );
}
