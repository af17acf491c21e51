import { SqliteDatabase } from '../../src/storage/sqlite/sqlite-database.js';

const LONG = `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1000000)
  SELECT count(*) AS count FROM numbers`;

let database: SqliteDatabase;
beforeEach(() => (database = new SqliteDatabase(':memory:')));
afterEach(() => database.close());

test('a statement that takes long does not hold up the event loop', async () => {
  await database.ping();
  let turns = 0;
  let isAnswered = false;
  const turn = (): void => {
    turns += 1;
    if (!isAnswered) setImmediate(turn);
  };
  setImmediate(turn);
  const rows = await database.query(LONG);
  isAnswered = true;
  expect(rows).toEqual([{ count: 1_000_000 }]);
  expect(turns).toBeGreaterThan(100);
});

test('statements are answered in the order they were asked', async () => {
  const order: string[] = [];
  await Promise.all([
    database.query(LONG).then(() => order.push('long')),
    database.query('SELECT 1').then(() => order.push('short')),
  ]);
  expect(order).toEqual(['long', 'short']);
});

test('a statement from outside waits for the open transaction, which it cannot join', async () => {
  await database.query('CREATE TABLE things (name TEXT)');
  const failing = database.transaction(async (tx) => {
    await tx.query("INSERT INTO things VALUES ('inside')");
    throw new Error('no');
  });
  const outside = database.query("INSERT INTO things VALUES ('outside')");
  await expect(failing).rejects.toThrow('no');
  await outside;
  expect(await database.query('SELECT name FROM things')).toEqual([{ name: 'outside' }]);
});

test('a statement that fails rejects with the reason, and leaves the others alone', async () => {
  const [wrong, right] = await Promise.allSettled([
    database.query('SELECT * FROM absent'),
    database.query('SELECT 1 AS one'),
  ]);
  expect(wrong).toMatchObject({ status: 'rejected', reason: { message: 'no such table: absent' } });
  expect(right).toEqual({ status: 'fulfilled', value: [{ one: 1 }] });
});

test('a closed database rejects every call', async () => {
  await database.close();
  await expect(database.ping()).rejects.toThrow('the database is closed');
});
