import { RateLimits } from './rate-limits.js';

describe('RateLimits', () => {
  test('lets a bucket of calls through for each caller and target, then refills at its rate', () => {
    let nowMs = 0;
    const limits = new RateLimits(() => nowMs);
    limits.set({ a: { bucketSize: 2, refillTokens: 1, refillPeriodSeconds: 10 } });
    const take = (target: string, caller: string) => limits.take(target, caller);
    expect([take('a', 'x'), take('a', 'x'), take('a', 'x')]).toEqual([undefined, undefined, 10]);
    expect([take('a', 'y'), take('b', 'x')]).toEqual([undefined, undefined]);
    nowMs = 4_000;
    expect(take('a', 'x')).toBe(6);
    nowMs = 10_000;
    expect([take('a', 'x'), take('a', 'x')]).toEqual([undefined, 10]);
  });

  test('counts everything together under *', () => {
    const limits = new RateLimits(() => 0);
    limits.set({ '*': { bucketSize: 1, refillTokens: 1, refillPeriodSeconds: 1 } });
    expect([limits.take('a', 'x'), limits.take('b', 'x')]).toEqual([undefined, 1]);
  });
});
