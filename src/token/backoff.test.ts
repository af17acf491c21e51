import { Backoff } from './backoff.js';

test('a pause is a whole number of milliseconds, up to twice the one before, or what the other side asked for', () => {
  const backoff = new Backoff(
    () => 1_000,
    () => 0.333_3,
  );
  const pauses = [undefined, undefined, undefined, 7_000].map((atLeastMs) => {
    backoff.fail(atLeastMs);
    return backoff.waitMs;
  });
  expect(pauses).toEqual([83, 167, 333, 7_000]);
  backoff.succeed();
  expect(backoff.waitMs).toBe(0);
});
