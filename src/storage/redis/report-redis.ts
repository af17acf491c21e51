import type { RedisConnection, RedisOutcome } from './redis-connection.js';
import type { Conditions } from '../../telemetry/conditions/conditions.js';
import { RollingCounts } from '../../telemetry/conditions/rolling-counts.js';
import type { Log } from '../../telemetry/log.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { StoreDurations } from '../store-durations.js';

const MINUTE_MS = 60_000;
const REFUSALS_MIN = 3;

/** Logs each change of the state of Redis, and reports its state and commands in the metrics. */
export function reportRedis(
  redis: RedisConnection,
  log: Log,
  metrics: Metrics,
  durations: StoreDurations,
  conditions: Conditions,
  now = () => performance.now(),
): void {
  const calls = conditions.calls('redis-failing', 'Redis');
  const refusals = new RollingCounts(MINUTE_MS, now);
  conditions.figure('redis-failing', () => {
    const { bad } = refusals.read();
    return bad >= REFUSALS_MIN ? `commands refused: ${bad} in a minute` : undefined;
  });
  let refusalLoggedAt = -Infinity;
  redis.observe({
    onChange: (isUp, err) => {
      if (isUp) calls.succeeded();
      if (isUp) log.info('Redis answers again: limits and tokens are shared');
      else log.warn({ err }, 'Redis is down: until it answers, each replica limits and caches on its own');
    },
    onRefusal: (err) => {
      refusals.add(true);
      if (now() - refusalLoggedAt < MINUTE_MS) return;
      refusalLoggedAt = now();
      log.warn({ err }, 'Redis refuses a command: limits or tokens are not shared');
    },
    onEnd: (startedAt, fault) => {
      durations.end('cache', startedAt);
      if (fault === undefined) calls.succeeded();
      else calls.failed(fault.message);
    },
  });
  metrics.circuit('redis', () => !redis.isUp);
  countCommands(redis, metrics);
}

function countCommands(redis: RedisConnection, metrics: Metrics): void {
  const commands = metrics.counter(
    'bff_redis_commands_total',
    'Commands for Redis, by outcome: answered, failed (no answer within 100 ms, or an error), skipped (Redis is down).',
    ['outcome'],
  );
  metrics.beforeRead(() => {
    for (const [outcome, times] of Object.entries(redis.takeOutcomes()) as [RedisOutcome, number][]) {
      commands.inc({ outcome }, times);
    }
  });
}
