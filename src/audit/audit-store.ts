import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database, SqlValue } from '../storage/database.js';
import { readPage, type Page, type SqlCondition } from '../storage/lists/page.js';
import { BLOCK_BITS, blocksDownFrom } from './audit-blocks.js';
import type { AuditFilter, AuditRecord } from './audit-record.js';

const INSERT_INTO =
  'INSERT INTO audit (time, action, outcome, user_id, hirer_id, request_id, record) VALUES ';
const COLUMNS = 7;
const UNLINKED_ROWS = 200;
const PURGE_ROWS = 200;
const PURGE = `DELETE FROM audit WHERE sequence IN
  (SELECT sequence FROM audit WHERE time < $1 ORDER BY time LIMIT ${PURGE_ROWS}) RETURNING sequence`;

const UNLINK = 'UPDATE audit SET user_id = NULL, record = $2 WHERE sequence = $1';

/** A few statements that stay prepared, largest first, rather than one for each number of records. */
const INSERTS = [200, 20, 1].map((rows) => ({
  rows,
  sql: INSERT_INTO + Array.from({ length: rows }, placeholders).join(', '),
}));

function placeholders(_: unknown, row: number): string {
  return `(${Array.from({ length: COLUMNS }, (_column, column) => `$${row * COLUMNS + column + 1}`).join(', ')})`;
}

/** A row of the table. `record` is JSON of what has no column; up to migration 0040 it was the whole record. */
type AuditRow = {
  sequence: number;
  time: number;
  action: string;
  outcome: string;
  user_id: string | null;
  hirer_id: string | null;
  request_id: string | null;
  record: string;
};

/** The table behind the audit trail. */
export class AuditStore {
  /** A condition on the blocks of records; undefined where no index needs it. */
  private readonly inBlocks: string | undefined;

  constructor(private readonly database: Database) {
    this.inBlocks = database.sql.inBlocks('sequence', BLOCK_BITS);
  }

  /** Keeps all of the records, or none. */
  async insert(records: readonly AuditRecord[]): Promise<void> {
    await this.database.transaction(async (tx) => {
      let start = 0;
      for (const { rows, sql } of INSERTS) {
        for (; records.length - start >= rows; start += rows) {
          await tx.query(sql, toParameters(records.slice(start, start + rows)));
        }
      }
    });
  }

  /** A page in order of arrival, the latest first. Records that arrive meanwhile change no later page. */
  async list(filter: AuditFilter, itemsMax: number): Promise<Page<AuditRecord>> {
    const { items, next } = await this.listRows(filter, itemsMax);
    return { items: items.map(toRecord), next };
  }

  /**
   * Takes these pseudonyms out of their records, in steps; the sessions too, which would still link records to each
   * other. @returns how many records there were
   */
  async unlink(users: readonly string[]): Promise<number> {
    let unlinked = 0;
    for (let after: number | undefined; ;) {
      const { items, next } = await this.listRows({ users, after }, UNLINKED_ROWS);
      await this.database.transaction(async (tx) => {
        for (const { sequence, record } of items) await tx.query(UNLINK, [sequence, withoutUser(record)]);
      });
      unlinked += items.length;
      if (next === null) return unlinked;
      after = Number(next);
      await nextTurn();
    }
  }

  private listRows(filter: AuditFilter, itemsMax: number): Promise<Page<AuditRow>> {
    const isByBlock = filter.request === undefined && (filter.users ?? filter.hirer) !== undefined;
    return isByBlock && this.inBlocks !== undefined
      ? this.listByBlock(filter, itemsMax, this.inBlocks)
      : this.read(filter, itemsMax);
  }

  /** Removes what is older, in steps that hold no lock for long. Any number of replicas may do so at once. */
  async purge(before: number): Promise<number> {
    let removed = 0;
    for (;;) {
      const rows = await this.database.transaction((tx) => tx.query(PURGE, [before]));
      removed += rows.length;
      if (rows.length < PURGE_ROWS) return removed;
      await nextTurn();
    }
  }

  /** Looks for a user or a hirer in ever more blocks at a time, until the page is full. */
  private async listByBlock(
    filter: AuditFilter,
    itemsMax: number,
    inBlocks: string,
  ): Promise<Page<AuditRow>> {
    const [ends] = await this.database.query<{ first: number | null; last: number | null }>(
      'SELECT (SELECT min(sequence) FROM audit) AS first, (SELECT max(sequence) FROM audit) AS last',
    );
    const last = Math.min(ends?.last ?? 0, (filter.after ?? Infinity) - 1);
    const known = { ...filter, after: last + 1 }; // not what arrives in the latest block while it is read
    const rows: AuditRow[] = [];
    for (const blocks of blocksDownFrom(last, ends?.first ?? 0)) {
      const { items } = await this.read(known, itemsMax + 1 - rows.length, [
        [inBlocks, JSON.stringify(blocks)],
      ]);
      rows.push(...items);
      if (rows.length > itemsMax) {
        return { items: rows.slice(0, itemsMax), next: cursorOf(rows[itemsMax - 1]!) };
      }
      await nextTurn();
    }
    return { items: rows, next: null };
  }

  private read(
    filter: AuditFilter,
    itemsMax: number,
    where: readonly SqlCondition[] = [],
  ): Promise<Page<AuditRow>> {
    return readPage<AuditRow, AuditRow>(this.database, {
      select: 'SELECT sequence, time, action, outcome, user_id, hirer_id, request_id, record FROM audit',
      conditions: [
        ...where,
        usersCondition(filter.users),
        ['hirer_id = ?', filter.hirer],
        ['outcome = ?', filter.outcome],
        ...unless(filter.outcome, 'outcome', COMMON_OUTCOMES),
        ['action = ?', filter.action],
        ...unless(filter.action, 'action', COMMON_ACTIONS),
        requestCondition(filter.request),
        ['time >= ?', filter.since],
        ['time < ?', filter.until],
        [NOT_MUCH_LATER, filter.until && filter.until + LATE_MS],
        [NOT_EARLIER, filter.since && filter.since - LATE_MS],
        ['sequence < ?', filter.after],
      ],
      orderBy: 'sequence DESC',
      itemsMax,
      toItem: (row) => row,
      cursorOf,
    });
  }
}

/** The end of an id, as a list of records shows it; our own ids all begin with the time. */
const SHORT_ID = /^[0-9a-f]{6,12}$/;
/** Records whose id ends so, among the latest: no index finds an end. */
const WITH_SHORT_ID = `sequence IN (
  SELECT sequence FROM (SELECT sequence, request_id FROM audit ORDER BY sequence DESC LIMIT 20000) AS latest
  WHERE request_id LIKE ?)`;

/** What partial indexes leave out, as their migration writes it (0100). */
const COMMON_OUTCOMES = ['ok', 'issued'];
const COMMON_ACTIONS = ['token', 'graphql'];

/** How long after its time a record may be written, by a replica whose database did not answer for so long. */
const LATE_MS = 86_400_000;
/** Begins near the end of a time that is long past: what was written later than a record of a day after has a higher sequence. */
const NOT_MUCH_LATER = `sequence < COALESCE(
  (SELECT sequence FROM audit WHERE time >= ? ORDER BY time LIMIT 1), ${Number.MAX_SAFE_INTEGER})`;

/** Ends near the beginning of a time: what was written before a record of a day earlier has a lower sequence. */
const NOT_EARLIER = `sequence > COALESCE(
  (SELECT sequence FROM audit WHERE time < ? ORDER BY time DESC LIMIT 1), 0)`;

/** Says once more that the value is a rare one, in the words of the index that then finds it. */
function unless(value: string | undefined, column: string, common: readonly string[]): SqlCondition[] {
  if (value === undefined || common.includes(value)) return [];
  return [[`${column} NOT IN (${common.map((one) => `'${one}'`).join(', ')})`]];
}

function usersCondition(users: readonly string[] = []): SqlCondition {
  return [`user_id IN (${users.map(() => '?').join(', ')})`, ...(users.length > 0 ? users : [undefined])];
}

function requestCondition(request: string | undefined): SqlCondition {
  if (request === undefined || !SHORT_ID.test(request)) return ['request_id = ?', request];
  return [WITH_SHORT_ID, `%${request}`];
}

function cursorOf({ sequence }: AuditRow): string {
  return String(sequence);
}

function toParameters(records: readonly AuditRecord[]): SqlValue[] {
  const parameters: SqlValue[] = [];
  for (const { time, action, outcome, user, hirerId, requestId, ...rest } of records) {
    parameters.push(time, action, outcome, user ?? null, hirerId ?? null, requestId, JSON.stringify(rest));
  }
  return parameters;
}

/** An older row repeats the pseudonym, see {@link toRecord}. */
function withoutUser(record: string): string {
  const { user, sessionId, ...others } = JSON.parse(record) as Partial<AuditRecord>;
  return user === undefined && sessionId === undefined ? record : JSON.stringify(others);
}

/** Members without a column are added last: in an older row, they are the whole record. */
function toRecord(row: AuditRow): AuditRecord {
  const { time, action, outcome, user_id: user, hirer_id: hirerId, request_id: requestId, record } = row;
  return {
    time,
    requestId: requestId!,
    action,
    ...(user !== null && { user }),
    ...(hirerId !== null && { hirerId }),
    outcome,
    ...(JSON.parse(record) as Partial<AuditRecord>),
  };
}
