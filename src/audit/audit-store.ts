import type { Database, SqlValue } from '../storage/database.js';
import { readPage, type Page } from '../storage/page.js';
import type { AuditFilter, AuditRecord } from './audit-record.js';

const INSERT_INTO =
  'INSERT INTO audit (time, action, outcome, user_id, hirer_id, request_id, record) VALUES ';
const COLUMNS = 7;
const PURGE_ROWS = 1_000;

/** A few statements that stay prepared, largest first: one for each number of records would be made anew each time. */
const INSERTS = [200, 20, 1].map((rows) => ({
  rows,
  sql: INSERT_INTO + Array.from({ length: rows }, placeholders).join(', '),
}));

function placeholders(_: unknown, row: number): string {
  return `(${Array.from({ length: COLUMNS }, (_column, column) => `$${row * COLUMNS + column + 1}`).join(', ')})`;
}

/** The table behind the audit trail. */
export class AuditStore {
  constructor(private readonly database: Database) {}

  /** Keeps all of the records, or none. */
  async insert(records: readonly AuditRecord[]): Promise<void> {
    await this.database.transaction(async (tx) => {
      let start = 0;
      for (const { rows, sql } of INSERTS) {
        for (; records.length - start >= rows; start += rows) {
          await tx.query(sql, records.slice(start, start + rows).flatMap(toParameters));
        }
      }
    }, 'later');
  }

  /** A page in order of arrival, the latest first. Records that arrive meanwhile change no later page. */
  list(filter: AuditFilter, itemsMax: number): Promise<Page<AuditRecord>> {
    return readPage<{ sequence: number; record: string }, AuditRecord>(this.database, {
      select: 'SELECT sequence, record FROM audit',
      conditions: [
        ['user_id = ?', filter.user],
        ['hirer_id = ?', filter.hirer],
        ['outcome = ?', filter.outcome],
        ['action = ?', filter.action],
        ['request_id = ?', filter.request],
        ['time >= ?', filter.since],
        ['time < ?', filter.until],
        ['sequence < ?', filter.after],
      ],
      orderBy: 'sequence DESC',
      itemsMax,
      toItem: ({ record }) => JSON.parse(record) as AuditRecord,
      cursorOf: ({ sequence }) => String(sequence),
    });
  }

  /** Removes what is older, in steps that hold no lock for long. Any number of replicas may do so at once. */
  async purge(before: number): Promise<number> {
    let removed = 0;
    for (;;) {
      const rows = await this.database.query(
        `DELETE FROM audit WHERE sequence IN
         (SELECT sequence FROM audit WHERE time < $1 ORDER BY time LIMIT ${PURGE_ROWS}) RETURNING sequence`,
        [before],
      );
      removed += rows.length;
      if (rows.length < PURGE_ROWS) return removed;
    }
  }

  /** Whether the database answers at all. */
  async answers(): Promise<boolean> {
    return this.database.ping().then(
      () => true,
      () => false,
    );
  }
}

function toParameters(record: AuditRecord): SqlValue[] {
  const { time, action, outcome, user, hirerId, requestId } = record;
  return [time, action, outcome, user ?? null, hirerId ?? null, requestId, JSON.stringify(record)];
}
