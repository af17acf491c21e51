import { mkdirSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { newFolder } from '../support/machine.js';
import { SqliteDatabase } from '../../src/storage/sqlite/sqlite-database.js';

let folder: string;
let database: SqliteDatabase;
beforeEach(async () => {
  folder = newFolder();
  mkdirSync(join(folder, 'data'));
  database = new SqliteDatabase(join(folder, 'data'));
  await database.query('CREATE TABLE pairs (id INTEGER PRIMARY KEY, text TEXT)');
});
afterEach(async () => {
  await database.close();
});

/** The ids in a copy that is made now. */
async function idsInCopy(name: string, onMade = (): void => undefined): Promise<number[]> {
  const file = join(folder, name);
  const made = await database.backup();
  onMade();
  await writeFile(file, made);
  const copy = new DatabaseSync(file, { readOnly: true });
  expect(copy.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  const rows = copy.prepare('SELECT id FROM pairs ORDER BY id').all();
  copy.close();
  return rows.map(({ id }) => Number(id));
}

const text = 'x'.repeat(4_000);
const addPair = (first: number): Promise<void> =>
  database.transaction(async (tx) => {
    await tx.query('INSERT INTO pairs VALUES ($1, $2)', [first, text]);
    await tx.query('INSERT INTO pairs VALUES ($1, $2)', [first + 1, text]);
  });

test('a copy holds what was committed before it was asked for, and every transaction whole or not at all', async () => {
  for (let round = 0; round < 20; round += 1) {
    const first = round * 100;
    await addPair(first);
    const meanwhile = Array.from({ length: 10 }, (_, index) => addPair(first + 2 + 2 * index));
    const [ids] = await Promise.all([idsInCopy(`copy ${round}`), ...meanwhile]);
    expect(ids).toContain(first + 1);
    expect(ids.filter((id) => id % 2 === 0 && !ids.includes(id + 1))).toEqual([]);
  }
});

test('statements and transactions are answered while a copy is made', async () => {
  await database.query(`INSERT INTO pairs WITH RECURSIVE numbers(n) AS
    (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 19999) SELECT n, hex(randomblob(1000)) FROM numbers`);
  let isMade = false;
  const copy = idsInCopy('copy', () => void (isMade = true));
  let answered = 0;
  for (; !isMade; answered += 1) {
    await database.ping();
    await addPair(20_000 + 2 * answered);
  }
  expect(answered).toBeGreaterThan(3);
  const ids = await copy;
  expect(ids).toContain(19_999);
  expect(ids.length % 2).toBe(0);
});

test('two copies at a time, and statements meanwhile, are all answered', async () => {
  await addPair(0);
  const [one, other] = await Promise.all([idsInCopy('one'), idsInCopy('other'), addPair(2), addPair(4)]);
  expect(one).toEqual(expect.arrayContaining([0, 1]));
  expect(other).toEqual(expect.arrayContaining([0, 1]));
  expect(await database.query('SELECT count(*) AS count FROM pairs')).toEqual([{ count: 6 }]);
});

test('a copy that nobody reads leaves no file behind', async () => {
  const copy = await database.backup();
  copy.destroy();
  expect(readdirSync(join(folder, 'data')).filter((name) => name.includes('backup'))).toEqual([]);
});

test('a database that is closed gives no copy, and leaves no file behind', async () => {
  await database.close();
  await expect(database.backup()).rejects.toThrow('closed');
  expect(readdirSync(join(folder, 'data'))).toEqual(['bff.sqlite']);
});
