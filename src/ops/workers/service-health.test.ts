import type { Readiness } from '../../telemetry/health.js';
import { conditionOf, worstOf } from './service-health.js';

const up: Readiness = { status: 'ready', ready: true, checks: { database: { state: 'up' } } };
const down: Readiness = {
  status: 'not ready',
  ready: false,
  checks: { database: { state: 'down', reason: 'cannot be reached' } },
};
const degraded: Readiness = {
  status: 'degraded',
  ready: true,
  checks: { database: { state: 'up' }, cache: { state: 'degraded', reason: 'Redis does not answer' } },
};

test('each dependency is in the worst state that a worker sees it in', () => {
  expect(worstOf([up, degraded])).toEqual(degraded);
  expect(worstOf([degraded, down, up])).toEqual({
    status: 'not ready',
    ready: false,
    checks: { ...degraded.checks, ...down.checks },
  });
});

test('a worker that ended gets no connection, so the others are ready; one that is silent gets some', () => {
  expect(conditionOf({ silent: [], absent: [] }, 3)).toEqual({ state: 'up' });
  expect(conditionOf({ silent: [], absent: [2] }, 3)).toEqual({
    state: 'degraded',
    reason: 'worker 2 of 3 ended and is started again',
  });
  expect(conditionOf({ silent: [3], absent: [2] }, 3)).toEqual({
    state: 'down',
    reason: 'worker 3 of 3 does not answer',
  });
});
