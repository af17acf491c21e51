import { randomUUID } from 'node:crypto';
import { OneTimeValues } from '../../src/storage/one-time-values.js';
import { TEST_DATABASES, type TestDatabase } from '../support/test-database.js';

const VALUE = Buffer.from([0, 255, 128, 10]);

describe.each(TEST_DATABASES)('one-time values in $name', ({ open }) => {
  let database: TestDatabase;
  let now = 1_000;
  let one: OneTimeValues;
  /** As another replica sees them. */
  let other: OneTimeValues;
  beforeAll(async () => {
    database = await open();
    one = new OneTimeValues(database.database, () => now);
    other = new OneTimeValues(database.replica(), () => now);
  });
  afterAll(async () => {
    await Promise.all([one.onApplicationShutdown(), other.onApplicationShutdown()]);
    await database.drop();
  });

  test('of many who ask at once, on any replica, one gets the value, byte for byte', async () => {
    const key = randomUUID();
    await one.put(key, VALUE, 60_000);
    const asked = Array.from({ length: 20 }, (_, at) => (at % 2 ? one : other).take(key));
    const taken = (await Promise.all(asked)).filter((value) => value !== undefined);
    expect(taken).toEqual([VALUE]);
  });

  test('what was never put is not there', async () => {
    expect(await one.take(randomUUID())).toBeUndefined();
  });

  test('a value is gone after its time', async () => {
    const key = randomUUID();
    await one.put(key, VALUE, 100);
    now += 100;
    expect(await other.take(key)).toBeUndefined();
  });
});
