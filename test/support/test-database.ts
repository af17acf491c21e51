import { randomBytes } from 'node:crypto';
import { endsByItself } from './ends.js';
import { runsOnServers, serverOf } from './programs.js';
import pg from 'pg';
import type { Database, Queryable, Transaction } from '../../src/storage/database.js';
import { migrate } from '../../src/storage/migrate.js';
import { PostgresDatabase } from '../../src/storage/postgres/postgres-database.js';
import { SqliteDatabase } from '../../src/storage/sqlite/sqlite-database.js';

/** A migrated, empty database of its own for one suite, which is removed by itself with every handle on it. */
export interface TestDatabase {
  /** The handle under test. */
  readonly database: Database;
  /** Settings that make a service use it, or one of the same kind where no two processes can share it. */
  readonly settings: Readonly<Record<string, string>>;
  /** Another handle on the same database, as another replica has; the same one where there can be no other. */
  replica(): Database;
}

export interface DatabaseKind {
  readonly name: string;
  /** True if several processes can share it. */
  readonly isServer: boolean;
  open(): Promise<TestDatabase>;
}

export const SQLITE: DatabaseKind = { name: 'SQLite', isServer: false, open: openSqlite };
export const POSTGRESQL: DatabaseKind = { name: 'PostgreSQL', isServer: true, open: openPostgres };

/** What a suite named `*.stores.test.ts` runs on: SQLite in the project core, PostgreSQL in servers. */
export const testDatabases = (): readonly DatabaseKind[] => [runsOnServers() ? POSTGRESQL : SQLITE];

async function openSqlite(): Promise<TestDatabase> {
  const database = new SqliteDatabase(':memory:');
  endsByItself(() => database.close());
  await migrate(database);
  return { database, settings: { DATA_DIR: ':memory:' }, replica: () => database };
}

/** A database rather than a schema: notices are heard in the whole database. */
async function openPostgres(): Promise<TestDatabase> {
  const server = serverOf('TEST_DATABASE_URL');
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer(server, `CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  endsByItself(() => administer(server, `DROP DATABASE ${name} WITH (FORCE)`));
  const replica = (): Database => {
    const handle = new PostgresDatabase(url.href);
    endsByItself(() => handle.close().catch(() => undefined)); // closed by the test already
    return handle;
  };
  const database = replica();
  await migrate(database);
  return { database, settings: { DATABASE_URL: url.href }, replica };
}

async function administer(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(statement);
  await client.end();
}

/** The database with a clock of tests in place of its own. */
export function withClock(database: Database, clock: () => number): Database {
  const own: Pick<Database, 'query' | 'transaction'> = {
    query: clocked(database, clock),
    transaction: (work) =>
      database.transaction((tx) => work({ ...tx, query: clocked(tx, clock), last: clockedLast(tx, clock) })),
  };
  return new Proxy(database, {
    get: (target, name): unknown => {
      const value: unknown = Reflect.get(Object.hasOwn(own, name) ? own : target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

const clocked =
  (queryable: Queryable, clock: () => number): Queryable['query'] =>
  (sql, parameters) =>
    queryable.query(sql.replaceAll(':now', String(clock())), parameters);

const clockedLast =
  (tx: Transaction, clock: () => number): Transaction['last'] =>
  (sql, parameters) =>
    tx.last(sql.replaceAll(':now', String(clock())), parameters);
