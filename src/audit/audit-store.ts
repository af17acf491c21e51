import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database, type SqlValue } from '../storage/database.js';
import { readPage, type Page, type SqlCondition } from '../storage/lists/page.js';
import type { AuditFilter, AuditRecord } from './audit-record.js';

const UNLINKED_ROWS = 200;
const PURGE_ROWS = 200;
const PURGE = `DELETE FROM audit WHERE sequence IN
  (SELECT sequence FROM audit WHERE time < $1 ORDER BY time LIMIT ${PURGE_ROWS}) RETURNING sequence`;
const OF_USER = `SELECT sequence, record FROM audit WHERE user_id = $1 LIMIT ${UNLINKED_ROWS}`;
const INSERT = `INSERT INTO audit (time, action, outcome, user_id, hirer_id, request_id, record)
  SELECT CAST(value->>0 AS BIGINT), value->>1, value->>2, value->>3, value->>4, value->>5, value->>6 FROM`;
/** Ends {@link INSERT} where the rows may be there already. */
const UNLESS_KEPT = `WHERE NOT EXISTS (SELECT 1 FROM audit WHERE request_id = value->>5 AND record = value->>6
  AND time = CAST(value->>0 AS BIGINT) AND action = value->>1 AND outcome = value->>2
  AND user_id IS NOT DISTINCT FROM value->>3 AND hirer_id IS NOT DISTINCT FROM value->>4)`;

/** Later than any time of a record. */
const TIME_MAX = Number.MAX_SAFE_INTEGER;

/** A row of the table. `record` is JSON of what has no column. */
type AuditRow = {
  sequence: number;
  time: number;
  action: string;
  outcome: string;
  user_id: string | null;
  hirer_id: string | null;
  request_id: string;
  record: string;
};

/** The table behind the audit trail. */
@Injectable()
export class AuditStore {
  readonly what = 'audit records';

  constructor(private readonly database: Database) {}

  /**
   * Keeps all of the records, or none.
   * @param isAgain true after a failure: the database may have kept them, and only its answer was lost
   */
  async insert(records: readonly AuditRecord[], isAgain = false): Promise<void> {
    const rows = JSON.stringify(records.map(toValues));
    const unlessKept = isAgain ? UNLESS_KEPT : '';
    await this.database.query(`${INSERT} :rows ${unlessKept}`, [rows]);
  }

  /** A page in order of time, the latest first; of one time, the one that was written last. */
  list(filter: AuditFilter, itemsMax: number): Promise<Page<AuditRecord>> {
    return readPage<AuditRow, AuditRecord>(this.database, {
      select: 'SELECT sequence, time, action, outcome, user_id, hirer_id, request_id, record FROM audit',
      ...readingOf(filter),
      itemsMax,
      toItem: toRecord,
      cursorOf: ({ time, sequence }) => `${time}-${sequence}`,
    });
  }

  /**
   * Takes these pseudonyms out of their records, in steps; the sessions too, which would still link records to each
   * other. @returns how many records there were
   */
  async unlink(users: readonly string[]): Promise<number> {
    const update = `UPDATE audit SET user_id = NULL, record = value->>1 FROM :rows
      WHERE sequence = CAST(value->>0 AS BIGINT)`;
    let unlinked = 0;
    for (const user of users) {
      for (;;) {
        const rows = await this.database.query<Pick<AuditRow, 'sequence' | 'record'>>(OF_USER, [user]);
        if (rows.length === 0) break;
        const changed = rows.map(({ sequence, record }) => [sequence, withoutSession(record)]);
        await this.database.query(update, [JSON.stringify(changed)]);
        unlinked += rows.length;
        await nextTurn();
      }
    }
    return unlinked;
  }

  /** Removes what is older, in steps that hold no lock for long. Any number of replicas may do so at once. */
  async purge(before: number): Promise<number> {
    let removed = 0;
    for (;;) {
      const rows = await this.database.query(PURGE, [before]);
      removed += rows.length;
      if (rows.length < PURGE_ROWS) return removed;
      await nextTurn();
    }
  }
}

/**
 * The conditions of a filter, and their order. What is asked for alone leads the bounds and the order, so that no other index
 * serves them: for an equality, PostgreSQL reads back in time over all that came after the last match.
 */
function readingOf({ users = [], request, since = 0, until = TIME_MAX, after, ...texts }: AuditFilter) {
  const { hirer: hirer_id, outcome, action } = texts;
  const exact = { ...(users.length === 1 && { user_id: users[0] }), hirer_id, outcome, action };
  const given = Object.entries(exact).filter((one): one is [string, string] => one[1] !== undefined);
  const isAlone = given.length === 1 && users.length < 2 && request === undefined;
  const [leading, equal] = isAlone ? [given, []] : [[], given];
  const values = leading.map(([, value]) => value);
  const columns = [...leading.map(([column]) => column), 'time', 'sequence'];
  const [time = until, sequence = 0] = after?.split('-').map(Number) ?? [];
  const place = time < until ? [time, sequence] : [until, 0]; // one bound, since SQLite searches by one
  const conditions: SqlCondition[] = [
    ...equal.map(([column, value]) => [`${column} = ?`, value] as const),
    [`user_id IN (${users.map(() => '?').join()})`, ...(users.length > 1 ? users : [undefined])],
    ['request_id = ?', request],
    bound(columns.slice(0, -1), '>=', [...values, since]),
    bound(columns, '<', [...values, ...place]),
  ];
  return { conditions, orderBy: columns.map((column) => `${column} DESC`).join() };
}

function bound(columns: readonly string[], operator: string, values: readonly SqlValue[]): SqlCondition {
  return [`(${columns.join()}) ${operator} (${values.map(() => '?').join()})`, ...values];
}

function toValues({ time, action, outcome, user, hirerId, requestId, ...rest }: AuditRecord): SqlValue[] {
  const texts = [action, outcome, user, hirerId, requestId].map((text) => toStorable(text));
  return [time, ...texts, JSON.stringify(rest)];
}

/** A caller may name a hirer by any text; of what PostgreSQL refuses, something is kept. */
function toStorable(text: string | undefined): string | null {
  return text === undefined ? null : text.toWellFormed().replaceAll('\0', '\ufffd');
}

function withoutSession(record: string): string {
  const { sessionId, ...others } = JSON.parse(record) as Partial<AuditRecord>;
  return sessionId === undefined ? record : JSON.stringify(others);
}

function toRecord({ time, action, outcome, user_id, hirer_id, request_id, record }: AuditRow): AuditRecord {
  const user = user_id === null ? {} : { user: user_id };
  const hirer = hirer_id === null ? {} : { hirerId: hirer_id };
  const rest = JSON.parse(record) as Partial<AuditRecord>;
  return { time, requestId: request_id, action, ...user, ...hirer, outcome, ...rest };
}
