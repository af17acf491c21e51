import { createHash } from 'node:crypto';
import type { Queryable, Row, SqlValue, Transaction } from '../database.js';

/** Rows of a statement: the payload of an event may have a megabyte. */
const PAGE_ROWS = 200;

/** A column, as the schema of the source describes it. */
export interface Column {
  readonly name: string;
  readonly isText: boolean;
  /** Its place in the primary key, from 1; 0 for a column that is not part of it. */
  readonly keyPlace: number;
}

/** What a table holds: equal in two stores that hold the same rows. */
export interface TableContent {
  readonly rows: number;
  /** SHA-256 of the rows in the order of their key, in hexadecimal. */
  readonly sha256: string;
}

/** Where rows are read: a database, or a transaction of it. */
type Store = Pick<Transaction, 'query' | 'sql'>;

/** A table that is copied: read page by page in the order of its primary key, which both stores compare by bytes. */
export class CopiedTable {
  private readonly names: readonly string[];
  private readonly key: readonly Column[];

  constructor(
    readonly name: string,
    columns: readonly Column[],
  ) {
    this.names = columns.map((column) => column.name);
    this.key = columns.filter(({ keyPlace }) => keyPlace > 0).sort((a, b) => a.keyPlace - b.keyPlace);
  }

  /** Rows after that one, the first ones without it; none when there are no more. */
  page(store: Store, after?: Row): Promise<Row[]> {
    const key = this.keyIn(store);
    const places = key.map((_, index) => `$${index + 1}`);
    const rest = after ? `WHERE (${key.join(', ')}) > (${places.join(', ')})` : '';
    return store.query(
      `SELECT ${this.names.join(', ')} FROM ${this.name} ${rest} ORDER BY ${key.join(', ')} LIMIT ${PAGE_ROWS}`,
      after && this.key.map(({ name }) => after[name]!),
    );
  }

  /** The row with the highest key; undefined where there is none. */
  async last(store: Store): Promise<Row | undefined> {
    const order = this.keyIn(store).map((column) => `${column} DESC`);
    const [row] = await store.query(
      `SELECT ${this.names.join(', ')} FROM ${this.name} ORDER BY ${order.join(', ')} LIMIT 1`,
    );
    return row;
  }

  /** Leaves a row alone that is there already: {@link content} tells whether it is the same. */
  async insert(target: Queryable, rows: readonly Row[]): Promise<void> {
    const values: SqlValue[] = [];
    const places = rows.map(
      (row) =>
        `(${this.valuesOf(row)
          .map((value) => `$${values.push(value)}`)
          .join()})`,
    );
    await target.query(
      `INSERT INTO ${this.name} (${this.names.join(', ')}) OVERRIDING SYSTEM VALUE
       VALUES ${places.join()} ON CONFLICT DO NOTHING`,
      values,
    );
  }

  /** Reads every row. */
  async content(store: Store): Promise<TableContent> {
    const digest = createHash('sha256');
    let count = 0;
    for (let rows = await this.page(store); rows.length > 0; rows = await this.page(store, rows.at(-1))) {
      for (const row of rows) digest.update(`${JSON.stringify(this.valuesOf(row).map(comparable))}\n`);
      count += rows.length;
    }
    return { rows: count, sha256: digest.digest('hex') };
  }

  async count(store: Store): Promise<number> {
    const [row] = await store.query<{ rows: number }>(`SELECT count(*) AS rows FROM ${this.name}`);
    return row!.rows;
  }

  private keyIn({ sql }: Store): string[] {
    return this.key.map(({ name, isText }) => (isText ? `${name} ${sql.byBytes}` : name));
  }

  private valuesOf(row: Row): SqlValue[] {
    return this.names.map((name) => row[name]!);
  }
}

/** Drivers have classes of their own for bytes. */
function comparable(value: SqlValue): SqlValue {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
}
