import { CircuitBreaker } from './circuit-breaker.js';

let now: number;
let breaker: CircuitBreaker;
const calls = (count: number, outcome: 'succeeded' | 'failed' | 'unknown'): void => {
  for (let call = 0; call < count; call += 1) {
    breaker.enter();
    breaker.settle(outcome);
  }
};

beforeEach(() => {
  now = 1_000_000;
  breaker = new CircuitBreaker(() => now);
});

describe('CircuitBreaker', () => {
  test('stays closed under twenty calls, and under one half of failures', () => {
    calls(19, 'failed');
    expect(breaker.waitMs).toBe(0);
    now += 11_000;
    calls(30, 'succeeded');
    calls(29, 'failed');
    expect(breaker.waitMs).toBe(0);
  });

  test('opens at one half of twenty, for five seconds', () => {
    calls(10, 'succeeded');
    calls(10, 'failed');
    expect(breaker.waitMs).toBe(5_000);
    now += 4_999;
    expect(breaker.waitMs).toBe(1);
  });

  test('failures older than ten seconds do not count', () => {
    calls(19, 'failed');
    now += 10_000;
    calls(1, 'failed');
    expect(breaker.waitMs).toBe(0);
  });

  test('calls that were given up tell nothing', () => {
    calls(100, 'unknown');
    expect(breaker.waitMs).toBe(0);
  });

  test.each([
    ['closes', 'succeeded', 0],
    ['opens again', 'failed', 5_000],
    ['lets another one try', 'unknown', 0],
  ] as const)('half open lets one call through and %s when it %s', (_, outcome, wait) => {
    calls(20, 'failed');
    now += 5_000;
    expect(breaker.waitMs).toBe(0);
    breaker.enter();
    expect(breaker.waitMs).toBeGreaterThan(0);
    breaker.settle(outcome);
    expect(breaker.waitMs).toBe(wait);
  });
});
