import type { Queryable, Row, SqlValue } from '../database.js';

const HIRERS_MAX = 1_000;

/** A page of a list; `next` continues it. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Cursor of the next page; null on the last one. */
  readonly next: string | null;
}

/** SQL with `?` for every one of its values; it is left out where its first value is undefined. */
export type SqlCondition = readonly [sql: string, ...values: (SqlValue | undefined)[]];

/** A list that is read page by page. */
interface Listing<R extends Row, T> {
  /** `SELECT … FROM …`, without conditions. */
  readonly select: string;
  readonly conditions: readonly SqlCondition[];
  readonly orderBy: string;
  readonly itemsMax: number;
  readonly toItem: (row: R) => T;
  /** The values that the condition of the next page needs to continue after this row. */
  readonly cursorOf: (row: R) => string;
}

/** The `WHERE` of all conditions together; their values are added to `parameters`. */
export function whereOf(conditions: readonly SqlCondition[], parameters: SqlValue[]): string {
  const given = conditions.filter(([, ...values]) => values.length === 0 || values[0] !== undefined);
  const tests = given.map(([sql, ...values]) => {
    const left = [...values];
    return sql.replaceAll('?', () => `$${parameters.push(left.shift() ?? null)}`);
  });
  return tests.length > 0 ? `WHERE ${tests.join(' AND ')}` : '';
}

/** Reads one page. It fetches one more row than the page holds, to find out whether there is another page. */
export async function readPage<R extends Row, T>(
  database: Queryable,
  { select, conditions, orderBy, itemsMax, toItem, cursorOf }: Listing<R, T>,
): Promise<Page<T>> {
  const parameters: SqlValue[] = [];
  const where = whereOf(conditions, parameters);
  const rows = await database.query<R>(
    `${select} ${where} ORDER BY ${orderBy} LIMIT ${itemsMax + 1}`,
    parameters,
  );
  const items = rows.slice(0, itemsMax);
  const last = rows.length > itemsMax ? items.at(-1) : undefined;
  return { items: items.map(toItem), next: last ? cursorOf(last) : null };
}

/**
 * The hirers of a table, in order, a thousand at most: by one look for each of them into its index that begins with
 * `hirer_id`, however many rows there are.
 */
export async function hirersIn(database: Queryable, table: 'events' | 'memberships'): Promise<string[]> {
  const rows = await database.query<{ id: string }>(
    `WITH RECURSIVE hirers(id) AS (
       SELECT MIN(hirer_id) FROM ${table}
       UNION ALL
       SELECT (SELECT MIN(hirer_id) FROM ${table} WHERE hirer_id > hirers.id) FROM hirers WHERE hirers.id IS NOT NULL)
     SELECT id FROM hirers WHERE id IS NOT NULL LIMIT ${HIRERS_MAX}`,
  );
  return rows.map(({ id }) => id);
}
