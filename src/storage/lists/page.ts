import type { Queryable, Row, SqlValue } from '../database.js';

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
  /** The values in it. */
  readonly parameters?: readonly SqlValue[];
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
  { select, parameters: own = [], conditions, orderBy, itemsMax, toItem, cursorOf }: Listing<R, T>,
): Promise<Page<T>> {
  const parameters = [...own];
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
 * The different values of a text column, in order, with one look into its index for each of them: the cost grows with
 * their number, not with that of the rows.
 * @param column has an index that begins with it
 * @param valuesMax most values that are read
 */
export async function distinctValues(
  database: Queryable,
  table: string,
  column: string,
  valuesMax: number,
): Promise<string[]> {
  const rows = await database.query<{ value: string }>(
    `WITH RECURSIVE found(value) AS (
       SELECT MIN(${column}) FROM ${table}
       UNION ALL
       SELECT (SELECT MIN(${column}) FROM ${table} WHERE ${column} > found.value) FROM found
       WHERE found.value IS NOT NULL)
     SELECT value FROM found WHERE value IS NOT NULL LIMIT ${valuesMax}`,
  );
  return rows.map(({ value }) => value);
}
