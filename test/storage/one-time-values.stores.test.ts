import { OneTimeValues } from '../../src/storage/one-time-values.js';
import { testDatabases, type TestDatabase } from '../support/test-database.js';

const VALUE = Buffer.from([0, 255, 128, 10]);

describe.each(testDatabases())('one-time values in $name', ({ open }) => {
  let database: TestDatabase;
  let one: OneTimeValues;
  /** As another replica sees them. */
  let other: OneTimeValues;
  beforeAll(async () => {
    database = await open();
    one = new OneTimeValues(database.database);
    other = new OneTimeValues(database.replica());
  });

  test('of many who ask at once, on any replica, one gets the value, byte for byte', async () => {
    const key = one.newKey('user');
    await one.put(key, VALUE, 60_000);
    const asked = Array.from({ length: 20 }, (_, at) => (at % 2 ? one : other).take(key));
    const taken = (await Promise.all(asked)).filter((value) => value !== undefined);
    expect(taken).toEqual([VALUE]);
  });

  test('a value is gone after its time, as one that was never put', async () => {
    const key = one.newKey('user');
    expect(await one.take(key)).toBeUndefined();
    await one.put(key, VALUE, 0);
    expect(await other.take(key)).toBeUndefined();
    await one.put(one.newKey('user'), VALUE, 0);
    await one.put(one.newKey('user'), VALUE, 60_000);
    const values = await database.database.query('SELECT 1 FROM one_time_values');
    expect(values).toHaveLength(1);
  });

  test('the values of an owner can be removed, and only those; no key names the owner', async () => {
    const [first, second, foreign] = ['user', 'user', 'user 2'].map((owner) => one.newKey(owner));
    for (const key of [first!, second!, foreign!]) await one.put(key, VALUE, 60_000);
    await other.dropOf('user');
    expect([await one.take(first!), await one.take(second!)]).toEqual([undefined, undefined]);
    expect(await one.take(foreign!)).toEqual(VALUE);
    expect(foreign).not.toContain('user');
  });
});
