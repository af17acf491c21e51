import { randomUUID } from 'node:crypto';
import { MemoryOneTimeValues, type OneTimeValues } from '../../src/storage/one-time-values.js';
import { RedisConnection } from '../../src/storage/redis/redis-connection.js';
import { RedisOneTimeValues } from '../../src/storage/redis/redis-one-time-values.js';
import { openTcpGate } from '../support/tcp-gate.js';
import { until } from '../support/until.js';

const SERVER = process.env['TEST_REDIS_URL'];
const VALUE = Buffer.from([0, 255, 128, 10]);

/** The values as each of two replicas sees them. */
interface Replicas {
  readonly one: OneTimeValues;
  readonly other: OneTimeValues;
  close(): void;
}

async function onRedis(): Promise<Replicas> {
  const [first, second] = [new RedisConnection(new URL(SERVER!)), new RedisConnection(new URL(SERVER!))];
  await Promise.all([first.opened(), second.opened()]);
  const close = (): void => [first, second].forEach((connection) => connection.close());
  return { one: new RedisOneTimeValues(first), other: new RedisOneTimeValues(second), close };
}

async function inMemory(): Promise<Replicas> {
  const values = new MemoryOneTimeValues();
  return { one: values, other: values, close: () => undefined };
}

const ADAPTERS = [['memory', inMemory] as const, ...(SERVER ? [['Redis', onRedis] as const] : [])];

test('a value in memory takes no more than its bytes, whatever it was cut from', async () => {
  const values = new MemoryOneTimeValues();
  await values.put('key', Buffer.alloc(65_536).subarray(0, 100), 1_000);
  expect((await values.take('key'))!.buffer.byteLength).toBe(100);
});

describe.each(ADAPTERS)('one-time values in %s', (_name, open) => {
  let replicas: Replicas;
  beforeAll(async () => {
    replicas = await open();
  });
  afterAll(() => replicas.close());

  test('of many who ask at once, on any replica, one gets the value, byte for byte', async () => {
    const key = randomUUID();
    await replicas.one.put(key, VALUE, 60_000);
    const asked = Array.from({ length: 20 }, (_, at) => (at % 2 ? replicas.one : replicas.other).take(key));
    const taken = (await Promise.all(asked)).filter((value) => value !== undefined);
    expect(taken).toEqual([VALUE]);
  });

  test('what was never put is not there', async () => {
    expect(await replicas.one.take(randomUUID())).toBeUndefined();
  });

  test('a value is gone after its time', async () => {
    const key = randomUUID();
    await replicas.one.put(key, VALUE, 1);
    const deadline = performance.now() + 20;
    await until(async () => performance.now() > deadline);
    expect(await replicas.other.take(key)).toBeUndefined();
  });
});

test('in memory, what is beyond 16 MiB loses the oldest values', async () => {
  const values = new MemoryOneTimeValues();
  const megabyte = Buffer.alloc(1_048_576);
  for (let at = 0; at < 20; at += 1) await values.put(`${at}`, megabyte, 60_000);
  expect(await values.take('0')).toBeUndefined();
  expect(await values.take('19')).toEqual(megabyte);
});

if (SERVER) {
  test('without Redis, nothing is given away and nothing is said to be kept', async () => {
    const { hostname, port } = new URL(SERVER);
    const gate = await openTcpGate(Number(port || 6379), hostname);
    const url = new URL(SERVER);
    url.port = String(gate.port);
    const redis = new RedisConnection(url);
    await redis.opened();
    const values = new RedisOneTimeValues(redis);
    await values.put('key', VALUE, 60_000);
    gate.shut();
    await until(async () => !redis.isUp);
    await expect(values.take('key')).rejects.toMatchObject({ name: 'StoreError', store: 'cache' });
    await expect(values.put('other', VALUE, 60_000)).rejects.toMatchObject({
      name: 'StoreError',
      store: 'cache',
    });
    redis.close();
    await gate.close();
  });
}
