import { Injectable } from '@nestjs/common';
import { EventOwners } from '../../operations/event-owners.js';
import { Database, type Row } from '../../storage/database.js';
import { isStorable } from '../../storage/lists/listing-query.js';

interface HirerRow extends Row {
  hirer_id: string | null;
}

/** The hirers that signed events name. An event that came otherwise, or for several hirers, vouches for nothing. */
@Injectable()
export class SignedEvents extends EventOwners {
  constructor(private readonly database: Database) {
    super();
  }

  /**
   * The record outlives the event's payload. The id is a caller's own text,
   * which not every database can hold.
   */
  override async hirerOf(eventId: string): Promise<string | undefined> {
    if (!isStorable(eventId)) return undefined;
    const [row] = await this.database.query<HirerRow>(
      `SELECT hirer_id FROM events WHERE id = $1 AND trust = 'signed'
         AND NOT EXISTS (SELECT 1 FROM events AS other WHERE other.shared_id = $1)`,
      [eventId],
    );
    return row?.hirer_id ?? undefined;
  }
}
