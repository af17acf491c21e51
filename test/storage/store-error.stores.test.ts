import { StoreError } from '../../src/errors/store-error.js';
import { PostgresDatabase } from '../../src/storage/postgres/postgres-database.js';
import type { Database } from '../../src/storage/database.js';
import { testDatabases, type TestDatabase } from '../support/test-database.js';

const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

/** The error of a statement by itself, and within a transaction. */
async function errorsOf(database: Database, sql: string, parameters: string[] = []): Promise<unknown[]> {
  return [
    await errorOf(database.query(sql, parameters)),
    await errorOf(database.transaction((tx) => tx.query(sql, parameters))),
  ];
}

describe.each(testDatabases())('$name', ({ name, open }) => {
  let store: TestDatabase;
  beforeAll(async () => {
    store = await open();
    await store.database.query('CREATE TABLE things (name TEXT PRIMARY KEY)');
    await store.database.query("INSERT INTO things VALUES ('taken')");
  });

  test.each([
    ['is no SQL', 'SELEKT 1', []],
    ['names a table that is missing', 'SELECT * FROM absent', []],
    ['violates a constraint', "INSERT INTO things VALUES ('taken')", []],
    ['has too many parameters', 'SELECT name FROM things WHERE name = $1', ['a', 'b']],
  ])('does not blame the store for a statement that %s', async (_, sql, parameters) => {
    for (const error of await errorsOf(store.database, sql, parameters)) {
      expect(error).toBeInstanceOf(Error);
      expect(error).not.toBeInstanceOf(StoreError);
    }
  });

  test('that is closed throws a StoreError of the database for everything it is asked', async () => {
    const { database } = await open();
    await database.ping();
    await database.close();
    const asked = [database.ping(), database.query('SELECT 1'), database.transaction(async () => 1)];
    const errors = await Promise.all(asked.map(errorOf));
    expect(errors).toEqual(Array.from(asked, () => expect.any(StoreError)));
    expect(errors).toMatchObject(Array.from(asked, () => ({ store: 'database', cause: expect.any(Error) })));
  });

  if (name === 'SQLite') {
    test.each([
      ['full', 'PRAGMA max_page_count = 1', 'PRAGMA max_page_count = 1000000'],
      ['read-only', 'PRAGMA query_only = 1', 'PRAGMA query_only = 0'],
    ])('whose disk is %s throws a StoreError for what it cannot write', async (_, begin, end) => {
      const { database } = store;
      const insert = 'INSERT INTO things VALUES (hex(zeroblob(100000)))';
      await database.query(begin);
      const errors = await errorsOf(database, insert);
      await database.query(end);
      expect(errors).toEqual([expect.any(StoreError), expect.any(StoreError)]);
    });
  } else {
    test.each([
      ['a statement that takes too long', 'SET LOCAL statement_timeout = 1', 'SELECT pg_sleep(10)'],
      ['a transaction that the server ends', 'SELECT 1', 'SELECT pg_terminate_backend(pg_backend_pid())'],
      ['a transaction that may not write', 'SET TRANSACTION READ ONLY', 'DELETE FROM things'],
    ])('throws a StoreError for %s', async (_, begin, statement) => {
      const work = store.database.transaction(async (tx) => {
        await tx.query(begin);
        await tx.query(statement);
      });
      expect(await errorOf(work)).toBeInstanceOf(StoreError);
    });

    test.each(['postgres://postgres@127.0.0.1:1/test', 'postgres://postgres@localhost:1/test'])(
      'whose server refuses the connection throws a StoreError with a reason (%s)',
      async (url) => {
        const unreachable = new PostgresDatabase(url);
        const errors = await errorsOf(unreachable, 'SELECT 1');
        await unreachable.close();
        expect(errors).toEqual([expect.any(StoreError), expect.any(StoreError)]);
        for (const error of errors) expect((error as Error).message).toMatch(/ECONNREFUSED/);
      },
    );
  }
});
