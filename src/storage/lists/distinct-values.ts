import type { Queryable } from '../database.js';

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
