import { randomUUID } from 'node:crypto';
import { RateLimit } from '../../src/storage/rate-limit.js';
import { RedisConnection } from '../../src/storage/redis/redis-connection.js';
import { SharedCache } from '../../src/storage/shared-cache.js';
import { askToken, startStack, type Answer, type Stack } from '../support/start-stack.js';
import { openTcpGate, type TcpGate } from '../support/raw-connection.js';
import { endsByItself, testRedis } from '../support/machine.js';
import { until } from '../support/until.js';

const LIMIT = 20;
/** All but `setTimeout`. */
const REAL_TIMERS = [
  ...(['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask'] as const),
  ...(['setImmediate', 'clearImmediate', 'setInterval', 'clearInterval'] as const),
];

/** How the commands of the latest connection ended, since it was last looked at. */
const ends: ('answered' | 'failed')[] = [];
const takeEnds = (): typeof ends => ends.splice(0);
async function connect(url: URL): Promise<RedisConnection> {
  const connection = new RedisConnection(url, {
    succeeded: () => void ends.push('answered'),
    failed: () => void ends.push('failed'),
  });
  endsByItself(() => connection.close());
  await connection.opened();
  return connection;
}

/** Takes `times` points one by one, and counts those that were left. */
async function admitted(limits: readonly RateLimit[], key: string, times: number): Promise<number> {
  const taken = Array.from({ length: times }, async (_, index) =>
    limits[index % limits.length]!.takeUpTo(key, 1),
  );
  return (await Promise.all(taken)).reduce((sum, { points }) => sum + points, 0);
}

test('without a Redis from the start, each replica limits alone', async () => {
  const redis = await connect(new URL('redis://127.0.0.1:1'));
  expect(redis.isUp).toBe(false);
  expect(await admitted([new RateLimit('requests', LIMIT, redis)], 'key', LIMIT * 2)).toBe(LIMIT);
});

const server = testRedis();
if (server) {
  describe('over Redis', () => {
    /** A limit of a test's own, on so many replicas. */
    const openLimits = async (replicas: number) => {
      const limit = `test-${randomUUID()}`;
      const connected = await Promise.all(Array.from({ length: replicas }, () => connect(server)));
      const limits = connected.map((redis) => new RateLimit(limit, LIMIT, redis));
      const { client } = connected[0]!;
      return { limits, client, keys: () => client.keys(`bff:limit:${limit}:*`) };
    };

    describe('that answers, however late', () => {
      /** The deadline after which each replica counts alone never comes. */
      beforeEach(() => jest.useFakeTimers({ doNotFake: [...REAL_TIMERS] }));
      afterEach(() => jest.useRealTimers());

      test('what was counted for a key can be forgotten, on Redis and on each replica that does so', async () => {
        const { limits, keys } = await openLimits(2);
        for (const key of ['one', 'another']) expect(await admitted(limits, key, LIMIT + 5)).toBe(LIMIT);
        for (const one of limits) await one.forget('one');
        expect(await keys()).toHaveLength(1);
        expect(await admitted(limits, 'one', LIMIT + 5)).toBe(LIMIT);
        expect(await admitted(limits, 'another', 1)).toBe(0);
      });

      test('replicas admit together what one would, and Redis holds the count for a minute', async () => {
        const { limits, client, keys } = await openLimits(3);
        expect(await admitted(limits, 'one', LIMIT * 4)).toBe(LIMIT);
        expect(await admitted([limits[0]!], 'another', 1)).toBe(1);
        const held = await keys();
        expect(held).toHaveLength(2);
        const counts = (await Promise.all(held.map((key) => client.get(key)))).map(Number);
        expect(Math.max(...counts)).toBeGreaterThanOrEqual(LIMIT);
        const lives = await Promise.all(held.map((key) => client.pTTL(key)));
        expect(lives.every((ms) => ms > 0 && ms <= 60_000)).toBe(true);
      });

      test('no key holds a user or hirer', async () => {
        const { limits, keys } = await openLimits(1);
        await limits[0]!.takeUpTo('5:user-6:seek:org', 1);
        const [key] = await keys();
        expect(key).toMatch(/^bff:limit:[\w-]+:[\w-]{43}$/);
      });

      test('a Redis that lost its counts, as by a restart, does not give a replica more than the limit', async () => {
        const { limits, client, keys } = await openLimits(1);
        expect(await admitted(limits, 'key', LIMIT - 2)).toBe(LIMIT - 2);
        await client.del(await keys());
        expect(await admitted(limits, 'key', LIMIT)).toBe(2);
      });

      test('an array takes what is left in one command', async () => {
        const [limit] = (await openLimits(1)).limits as [RateLimit];
        takeEnds();
        expect(await limit.takeUpTo('key', LIMIT - 5)).toEqual({ points: LIMIT - 5, refusal: undefined });
        expect(await limit.takeUpTo('key', 10)).toEqual({
          points: 5,
          refusal: expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: expect.any(Number) }),
        });
        expect(await limit.takeUpTo('key', 10)).toMatchObject({ points: 0 });
        expect(takeEnds()).toEqual(['answered', 'answered']); // used up: Redis is not asked
      });
    });

    test.each(['RATE_LIMIT_REQUESTS_PER_MINUTE', 'RATE_LIMIT_MINTS_PER_MINUTE'])(
      '%s is of a user, whichever replica is asked',
      async (setting) => {
        const settings = { REDIS_URL: server.href, USER_ID_KEY: randomUUID(), [setting]: '1' };
        const one = await startStack(settings);
        const another = await startStack(settings, one.playground);
        const { hirerId } = one.playground.demo.hirers[0]!;
        const token = await one.playground.signIn('amelia');
        const ask = (replica: Stack, scope: string): Promise<Answer> =>
          askToken(replica, token, { hirerId, scope });
        expect(await ask(one, 'query:ontologies')).toMatchObject({ status: 200 });
        const refused = { status: 429, body: { code: 'rate_limited' } };
        expect(await ask(another, 'query:organizations')).toMatchObject(refused);
      },
    );

    describe('that stops answering', () => {
      let gate: TcpGate;
      beforeEach(async () => {
        gate = await openTcpGate(Number(server.port || 6379), server.hostname);
      });
      const through = (): Promise<RedisConnection> => {
        const url = new URL(server);
        url.host = `127.0.0.1:${gate.port}`;
        return connect(url);
      };

      test('a replica continues from the last count it saw, without waiting for each command', async () => {
        const redis = await through();
        const limit = new RateLimit(`test-${randomUUID()}`, LIMIT, redis);
        const cache = new SharedCache(redis);
        expect(await admitted([limit], 'key', LIMIT - 5)).toBe(LIMIT - 5);
        gate.stall();
        expect(await admitted([limit], 'key', LIMIT)).toBe(5);
        await until(async () => {
          await cache.get('nothing');
          return !redis.isUp;
        });
        takeEnds();
        const asked = Array.from({ length: 200 }, () => cache.get('nothing'));
        expect(new Set(await Promise.all(asked))).toEqual(new Set([undefined]));
        expect(takeEnds()).toEqual([]);
      });

      test('commands of one request wait for silence once together, not 100 ms each', async () => {
        const cache = new SharedCache(await through());
        gate.stall();
        takeEnds();
        for (let commands = 0; commands < 4; commands += 1) await cache.get('nothing');
        expect(takeEnds()).toEqual(['failed']);
      });

      test('after a late answer Redis is asked again as soon as it answers', async () => {
        const redis = await through();
        gate.stall();
        expect(await redis.ask((client) => client.get('nothing'))).toBeUndefined();
        gate.resume();
        await until(async () => (await redis.ask((client) => client.get('nothing'))) === null);
      });

      test('it is used again after each outage, and late answers do no harm', async () => {
        const unhandled: unknown[] = [];
        const note = (fault: unknown): void => void unhandled.push(fault);
        process.on('unhandledRejection', note);
        const redis = await through();
        const limit = new RateLimit(`test-${randomUUID()}`, LIMIT, redis);
        gate.stall();
        expect(await admitted([limit], 'key', LIMIT * 2)).toBe(LIMIT);
        expect(redis.isUp).toBe(false);
        gate.resume();
        await until(() => redis.isUp);
        gate.shut();
        await until(() => !redis.isUp);
        gate.open();
        await until(() => redis.isUp);
        process.off('unhandledRejection', note);
        expect(unhandled).toEqual([]);
      });

      test.each(['asked', 'idle'])('a connection that is silent while it is %s is replaced', async (how) => {
        const redis = await through();
        gate.silence();
        takeEnds();
        if (how === 'asked') await redis.ask((client) => client.get('nothing'));
        await until(() => ends.includes('failed')); // it may be up again a few milliseconds later
        await until(() => redis.isUp);
        expect(await redis.ask((client) => client.ping())).toBe('PONG');
      });
    });
  });
}
