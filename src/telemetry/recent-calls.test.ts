import { RecentCalls } from './recent-calls.js';

let clock: number;
beforeEach(() => {
  clock = 1_000_000;
});

function callsOf(failuresMin: number, ...faults: (string | undefined)[]): RecentCalls {
  const calls = new RecentCalls({ failuresMin }, () => clock);
  for (const fault of faults) {
    if (fault === undefined) calls.succeed();
    else calls.fail(fault);
  }
  return calls;
}

describe('a dependency judged by its calls', () => {
  test('is up before the first call, and says that nothing is known', () => {
    const calls = callsOf(3);
    expect(calls.condition()).toEqual({ state: 'up', reason: 'not called in the last 5 minutes' });
    expect(calls.isIdle).toBe(true);
  });

  test('is not degraded by fewer failures than it takes', () => {
    expect(callsOf(3, 'timeout', 'timeout').condition()).toEqual({ state: 'up' });
  });

  test('is degraded when at least half of the last calls failed, with the latest fault', () => {
    const calls = callsOf(3, undefined, undefined, undefined, '5xx', '5xx', 'timeout');
    expect(calls.condition()).toEqual({
      state: 'degraded',
      reason: '3 of the last 6 calls failed: timeout',
    });
  });

  test('is up again with the first success, however many calls failed before', () => {
    const calls = callsOf(3, ...Array.from({ length: 50 }, () => 'connection'));
    expect(calls.condition().state).toBe('degraded');
    calls.succeed();
    expect(calls.condition()).toEqual({ state: 'up' });
  });

  test('that failed only after it had served, and serves again, is up', () => {
    const outage = Array.from({ length: 7 }, () => 'timeout');
    expect(callsOf(3, undefined, undefined, ...outage, undefined).condition()).toEqual({ state: 'up' });
  });

  test('is degraded while failures go on between successes, also right after a success', () => {
    const calls = callsOf(3, undefined, '5xx', undefined, '5xx', undefined, '5xx', '5xx', undefined);
    expect(calls.condition()).toEqual({ state: 'degraded', reason: '4 of the last 8 calls failed: 5xx' });
    for (let second = 0; second < 60; second += 20) {
      calls.succeed();
      clock += 20_000;
    }
    expect(calls.condition()).toEqual({ state: 'up' });
  });

  test('of which one failure is enough, one success is enough too', () => {
    expect(callsOf(1, 'timeout', undefined, 'timeout', undefined).condition()).toEqual({ state: 'up' });
    expect(callsOf(1, 'timeout', undefined, 'timeout').condition().state).toBe('degraded');
  });

  test('is not accused again, by a single failure, of an outage that ended a minute ago', () => {
    const calls = callsOf(3, ...Array.from({ length: 9 }, () => '5xx'), undefined);
    clock += 61_000;
    calls.fail('timeout');
    expect(calls.condition()).toEqual({ state: 'up' });
  });

  test('is not judged by calls of long ago', () => {
    const calls = callsOf(1, 'timeout');
    expect(calls.condition()).toEqual({ state: 'degraded', reason: 'the last call failed: timeout' });
    clock += 5 * 60_000 + 1;
    expect(calls.condition().state).toBe('up');
  });
});
