import { randomBytes } from 'node:crypto';
import { endsByItself, runsOnServers, serverOf } from './machine.js';
import pg from 'pg';
import type { Environment } from '../../src/config/load-config.js';
import { StoreError } from '../../src/errors/store-error.js';
import type { PlaygroundOptions } from '../../playground/src/playground.js';
import { startStack, untilReady, type Stack } from './start-stack.js';
import { openTcpGate } from './raw-connection.js';
import { Database, type Queryable, type Transaction } from '../../src/storage/database.js';
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

/** A service whose database can be made to fail, and to recover. */
export interface StoreOutage {
  readonly stack: Stack;
  /** From now on every statement fails. */
  begin(): Promise<void>;
  /** Resolves once the service is ready again. */
  end(): Promise<void>;
}

/** Starts a service whose database can fail: the disk of SQLite, in a project with servers that of PostgreSQL. */
export function startStoreOutage(overrides?: Environment, options?: PlaygroundOptions): Promise<StoreOutage> {
  return runsOnServers() ? startOnPostgres(overrides, options) : startOnSqlite(overrides, options);
}

/** Each question to the thread fails as one whose disk cannot be read; a real disk does so for no test. */
async function startOnSqlite(overrides?: Environment, options?: PlaygroundOptions): Promise<StoreOutage> {
  const stack = await startStack({ ...overrides, DATA_DIR: ':memory:' }, options);
  const thread: { post?: () => Promise<never> } = stack.service.app.get<object>(Database);
  return {
    stack,
    begin: async () => {
      thread.post = () => Promise.reject(new StoreError('database', 'disk I/O error'));
    },
    end: async () => {
      delete thread.post;
      await untilReady(stack);
    },
  };
}

async function startOnPostgres(overrides?: Environment, options?: PlaygroundOptions): Promise<StoreOutage> {
  const store = await openPostgres();
  const url = new URL(store.settings['DATABASE_URL']!);
  const gate = await openTcpGate(Number(url.port || 5432), url.hostname);
  url.host = `127.0.0.1:${gate.port}`;
  const stack = await startStack({ ...overrides, DATABASE_URL: url.href }, options);
  return {
    stack,
    begin: async () => gate.shut(),
    end: async () => {
      gate.open();
      await untilReady(stack);
    },
  };
}
