/** The databases that a migration has SQL for. */
export type DialectName = 'sqlite' | 'postgres';

/** SQL in which databases differ. All other statements are written once, in what they have in common. */
export interface Dialect {
  readonly name: DialectName;
  /** Ends the `SELECT` of rows to take: passes over those that another replica is taking, where it can. */
  readonly skipLocked: string;
  /** The next number of the table's column `sequence`, for an `UPDATE` under the lock that its inserts take. */
  nextSequence(table: string): string;
  /**
   * The condition that `column` falls into one of some blocks of 2^`bits` numbers, which are its only value, as a JSON
   * array; undefined where indexes are not made within blocks (migration 0040).
   */
  inBlocks(column: string, bits: number): string | undefined;
  /**
   * A table of rows from one parameter, a JSON array of arrays: the texts of a row are `value->>0`, `value->>1` and so on.
   * On SQLite it has columns that are named like ours (`id`, `type`): name the table of those.
   */
  rows(parameter: string): string;
  /**
   * The condition that `column` is one of the values of a `SELECT`, of which there are so few that each is looked up in the
   * index of the column: PostgreSQL would prepare for more, and read the whole table.
   */
  isAmong(column: string, select: string): string;
}
