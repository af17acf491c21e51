import { pino } from 'pino';
import { Conditions } from '../../telemetry/conditions/conditions.js';
import { Metrics } from '../../telemetry/metrics.js';
import type { RedisConnection, RedisObserver } from './redis-connection.js';
import { reportRedis } from './report-redis.js';

test('a Redis that answers but refuses commands is failing, until it has refused fewer than three in a minute', async () => {
  let [now, observer] = [0, undefined as RedisObserver | undefined];
  const redis = { observe: (given: RedisObserver) => void (observer = given) };
  const conditions = new Conditions(() => now);
  const metrics = new Metrics();
  const log = pino({ level: 'silent' });
  reportRedis(redis as RedisConnection, log, metrics, conditions, () => now);
  const refuse = (): void => observer!.onRefusal(new Error('OOM command not allowed'));
  refuse();
  refuse();
  await conditions.look();
  expect(conditions.active()).toEqual([]);
  refuse();
  observer!.onEnd?.();
  await conditions.look();
  expect(conditions.active()).toMatchObject([
    { name: 'redis-failing', summary: expect.stringContaining('(commands refused: 3 in a minute)') },
  ]);
  now += 65_000;
  await conditions.look();
  expect(conditions.active()).toEqual([]);
});
