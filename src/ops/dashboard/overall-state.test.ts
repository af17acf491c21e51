import type { DashboardSample } from './dashboard-sample.js';
import { stateOf } from './overall-state.js';

const sample = (graphql: Record<string, number>, token: Record<string, number> = {}): DashboardSample =>
  ({ requests: { token, graphql, attachment: {} } }) as unknown as DashboardSample;

describe('the overall state', () => {
  test.each([
    ['every request fails', [sample({ upstream_error: 40 })], 'failing'],
    [
      'one kind of request fails, and another is served',
      [sample({ upstream_timeout: 3 }, { issued: 900 })],
      'failing',
    ],
    ['half of the requests fail', [sample({ upstream_error: 5, ok: 5 })], 'failing'],
    ['every answer says that the upstream failed', [sample({ 'errors@upstream': 9 })], 'failing'],
    ['fewer fail', [sample({ upstream_error: 5, ok: 6 })], 'degraded'],
    ['callers are refused', [sample({ invalid_request: 40, 'errors@caller': 40 })], 'degraded'],
    ['two fail', [sample({ upstream_error: 2 })], 'degraded'],
  ])('while %s', (_, samples, state) => {
    expect(stateOf('degraded', samples)).toBe(state);
  });

  test('is that of now: ten seconds that were served outweigh the rest of the minute', () => {
    const outage = Array.from({ length: 20 }, () => sample({ upstream_error: 40 }));
    const served = Array.from({ length: 5 }, () => sample({ ok: 1 }));
    expect(stateOf('ready', [...outage, ...served])).toBe('ready');
    expect(stateOf('ready', [...outage, ...Array.from({ length: 5 }, () => sample({}))])).toBe('failing');
  });

  test('of a replica that takes no requests is said by its readiness', () => {
    expect(stateOf('not ready', [sample({ 'unavailable@database': 40 })])).toBe('not ready');
    expect(stateOf('draining', [sample({ upstream_error: 40 })])).toBe('draining');
  });
});
