import { RateLimits } from './rate-limits.js';

describe('RateLimits', () => {
  test('lets a bucket of calls through for each caller and target, then refills at its rate', () => {
    let nowMs = 0;
    const limits = new RateLimits(() => nowMs);
    limits.set({ 'Query.a': { bucketSize: 2, refillTokens: 1, refillPeriodSeconds: 10 } });
    const take = (name: string, caller: string) => limits.takeField(`Query.${name}`, caller);
    expect([take('a', 'x'), take('a', 'x'), take('a', 'x')]).toEqual([undefined, undefined, 10]);
    expect([take('a', 'y'), take('b', 'x')]).toEqual([undefined, undefined]);
    nowMs = 4_000;
    expect(take('a', 'x')).toBe(6);
    nowMs = 10_000;
    expect([take('a', 'x'), take('a', 'x')]).toEqual([undefined, 10]);
  });

  test('counts the calls of a route, and a GraphQL call under * by its fields only', () => {
    const limits = new RateLimits(() => 0);
    const rule = { bucketSize: 1, refillTokens: 1, refillPeriodSeconds: 1 };
    limits.set({ 'auth-token': rule, '*': { ...rule, bucketSize: 2 } });
    const took = [limits.takeCall('auth-token', 'x'), limits.takeCall('auth-token', 'x')];
    expect([...took, limits.takeCall('graphql', 'x'), limits.takeField('Query.a', 'x')]).toEqual([
      undefined,
      1,
      undefined,
      undefined,
    ]);
  });

  test('counts everything together under *', () => {
    const limits = new RateLimits(() => 0);
    limits.set({ '*': { bucketSize: 1, refillTokens: 1, refillPeriodSeconds: 1 } });
    expect([limits.takeField('Query.a', 'x'), limits.takeCall('attachments', 'x')]).toEqual([undefined, 1]);
  });
});
