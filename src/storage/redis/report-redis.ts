import type { Conditions } from '../../telemetry/conditions/conditions.js';
import { RollingCounts } from '../../telemetry/conditions/rolling-counts.js';
import type { Log } from '../../telemetry/log.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { RedisConnection } from './redis-connection.js';

const MINUTE_MS = 60_000;
const REFUSALS_MIN = 3;

/** Logs each change of the state of Redis, and reports it as metric and condition. */
export function reportRedis(
  redis: RedisConnection,
  log: Log,
  metrics: Metrics,
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
    onEnd: (fault) => (fault === undefined ? calls.succeeded() : calls.failed(fault.message)),
  });
  metrics.circuit('redis', () => !redis.isUp);
}
