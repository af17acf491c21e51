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
