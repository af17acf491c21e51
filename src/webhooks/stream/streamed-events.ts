import { Injectable } from '@nestjs/common';
import { Database, type Row } from '../../storage/database.js';
import { deliveryBody, sentPayload, type DeliverableEvent } from '../deliver/sinks/sink.js';

/** `data` is `{type, timestamp, data}` as JSON on one line, as the sink receives it. */
export interface StreamedPage {
  readonly events: readonly { readonly id: string; readonly hirerId: string; readonly data: string }[];
  readonly place: number;
  readonly hasMore: boolean;
}

const PAGE_ITEMS = 100;
/** A page ends with the event that reaches this size, because a slow reader keeps the page in memory. */
const PAGE_CHARACTERS = 262_144;

type EventFields = Pick<DeliverableEvent, 'id' | 'type' | 'createDateTime' | 'receivedAt' | 'payload'>;
type EventRow = Row & EventFields & { readonly sequence: number; readonly hirerId: string };

/** Reads stored events for streams: those of some hirers, in order of arrival. */
@Injectable()
export class StreamedEvents {
  constructor(private readonly database: Database) {}

  /** Where it was first sent if it has been completed since; the end of the store for any other id, or none. */
  async placeAfter(id: string | undefined, hirerIds: readonly string[]): Promise<number> {
    const sql = 'SELECT COALESCE(first_sequence, sequence) AS sequence, hirer_id FROM events WHERE id = $1';
    type Place = { sequence: number; hirer_id: string | null };
    const [known] = id === undefined ? [] : await this.database.query<Place>(sql, [id]);
    if (known && known.hirer_id !== null && hirerIds.includes(known.hirer_id)) return known.sequence;
    const [last] = await this.database.query<{ sequence: number | null }>(
      'SELECT MAX(sequence) AS sequence FROM events',
    );
    return last?.sequence ?? 0;
  }

  async after(place: number, hirerIds: readonly string[]): Promise<StreamedPage> {
    if (hirerIds.length === 0) return { events: [], place, hasMore: false };
    const ids = hirerIds.map((_, index) => `$${index + 2}`).join(', ');
    const rows = await this.database.query<EventRow>(
      `SELECT * FROM (
         SELECT page.*, SUM(LENGTH(payload)) OVER (ORDER BY sequence) - LENGTH(payload) AS characters_before
         FROM (
           SELECT sequence, id, type, hirer_id AS "hirerId", create_date_time AS "createDateTime", received_at AS "receivedAt", payload FROM events
           WHERE sequence > $1 AND payload IS NOT NULL AND hirer_id IN (${ids})
           ORDER BY sequence LIMIT ${PAGE_ITEMS}
         ) AS page
       ) AS measured WHERE characters_before < ${PAGE_CHARACTERS} ORDER BY sequence`,
      [place, ...hirerIds],
    );
    const events = rows.map((row) => ({
      id: row.id,
      hirerId: row.hirerId,
      data: deliveryBody({ ...row, payload: sentPayload(row.payload) }),
    }));
    const characters = rows.reduce((sum, { payload }) => sum + payload.length, 0);
    const hasMore = rows.length === PAGE_ITEMS || characters >= PAGE_CHARACTERS;
    return { events, place: rows.at(-1)?.sequence ?? place, hasMore };
  }
}
