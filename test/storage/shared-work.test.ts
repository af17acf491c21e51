import { randomUUID } from 'node:crypto';
import { createClient } from 'redis';
import { RedisCache } from '../../src/storage/redis/redis-cache.js';
import { Leases, type Lease } from '../../src/storage/redis/leases.js';
import { RedisConnection } from '../../src/storage/redis/redis-connection.js';
import { NoSharedCache, type SharedCache } from '../../src/storage/shared-cache.js';
import { openTcpGate, type TcpGate } from '../support/tcp-gate.js';
import { until } from '../support/until.js';

const SERVER = process.env['TEST_REDIS_URL'];
/** Much longer than any of these tests waits for another reason. */
const LEASE_MS = 3_000;

/** Longer than a test may take. */
const NEVER_MS = 3_600_000;

/** The same work on every replica: its result is in the cache once it was made. */
class Work {
  made = 0;
  constructor(
    private readonly key: string,
    private readonly make: () => Promise<void> = async () => undefined,
  ) {}

  async on(cache: SharedCache): Promise<string> {
    const { key } = this;
    return cache.once(key, {
      find: async () => (await cache.get(key))?.toString(),
      make: async () => {
        this.made += 1;
        await this.make();
        void cache.set(key, Buffer.from('result'), 60_000);
        return 'result';
      },
    });
  }
}

test('a replica that shares no cache finds its result, or makes it', async () => {
  const cache = new NoSharedCache();
  const work = { find: async () => 'found', make: async () => 'made' };
  expect(await cache.once('key', work)).toBe('found');
  expect(await cache.once('key', { ...work, find: async () => undefined })).toBe('made');
});

for (const server of SERVER ? [new URL(SERVER)] : []) {
  describe('work of three replicas that share Redis', () => {
    let gate: TcpGate;
    let connections: RedisConnection[];
    let caches: RedisCache[];
    /** Redis as an operator sees it. */
    const client = createClient({ url: server.href });

    beforeEach(async () => {
      gate = await openTcpGate(Number(server.port || 6379), server.hostname);
      const url = new URL(server);
      url.host = `127.0.0.1:${gate.port}`;
      connections = [url, server, server].map((one) => new RedisConnection(one));
      await Promise.all(connections.map((connection) => connection.opened()));
      caches = connections.map((connection) => new RedisCache(connection));
      if (!client.isOpen) await client.connect();
    });
    afterEach(async () => {
      for (const connection of connections) connection.close();
      await gate.close();
    });
    afterAll(() => client.destroy());

    test('is done once, however many ask for it', async () => {
      const gates = Array.from({ length: 10 }, () => Promise.withResolvers<void>());
      const works = gates.map(({ promise }) => new Work(randomUUID(), () => promise));
      const results = works.flatMap((work) => caches.map((cache) => work.on(cache)));
      await until(async () => works.every(({ made }) => made >= 1));
      for (const { resolve } of gates) resolve();
      expect(new Set(await Promise.all(results))).toEqual(new Set(['result']));
      const outcomes = connections.map((connection) => connection.takeOutcomes());
      const unanswered = outcomes.reduce((sum, { failed, skipped }) => sum + failed + skipped, 0);
      const made = works.reduce((sum, work) => sum + work.made, 0);
      expect(made).toBeLessThanOrEqual(works.length + unanswered); // who gets no answer in time works alone
    });

    test('wakes those who wait for it when it ends, after a broken connection too', async () => {
      const [waiting, working] = connections.map((connection) => new Leases(connection, NEVER_MS));
      gate.shut();
      await until(async () => !connections[0]!.isUp);
      gate.open();
      await until(async () => connections[0]!.isUp);
      const key = randomUUID();
      const lease = (await working!.take(key)) as Lease;
      const waiter = waiting!.waiter(key);
      expect(await waiting!.take(key)).toBe('taken');
      lease.end();
      await waiter.wait(NEVER_MS);
      expect(await waiting!.take(key)).not.toBe('taken');
    });

    test('is done by the next one when it failed', async () => {
      const key = randomUUID();
      const { promise, reject } = Promise.withResolvers<void>();
      const [failing, working] = [new Work(key, () => promise), new Work(key)];
      const first = failing.on(caches[0]!);
      await until(async () => failing.made === 1);
      const second = working.on(caches[1]!);
      reject(new Error('the first fails'));
      await expect(first).rejects.toThrow('the first fails');
      expect(await second).toBe('result');
    });

    test('goes to another when its replica has died', async () => {
      const work = new Work(randomUUID());
      await client.set(`bff:lease:${work['key']}`, 'a replica that is gone', { PX: LEASE_MS });
      expect(await work.on(caches[1]!)).toBe('result');
      expect(work.made).toBe(1);
    });

    test('that takes longer than a lease stays with its replica', async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const work = new Work(randomUUID(), () => promise);
      const first = work.on(caches[0]!);
      const lease = `bff:lease:${work['key']}`;
      await until(async () => (await client.pTTL(lease)) > 0);
      await client.pExpire(lease, LEASE_MS / 2);
      await until(async () => (await client.pTTL(lease)) > LEASE_MS / 2); // extended before it could end
      resolve();
      expect(await first).toBe('result');
      await until(async () => (await client.exists(lease)) === 0);
    });

    test('is done by a replica alone that Redis does not answer, and by the others once', async () => {
      gate.stall();
      const work = new Work(randomUUID());
      await Promise.all(caches.map((cache) => work.on(cache)));
      expect(work.made).toBe(2);
    });
  });
}
