import { RETRY_JITTER, retryPauseMs } from './delivery-worker.js';

const PAUSES = [0.5, 5, 86_400];

test('each pause stays within its jitter, in whole milliseconds', () => {
  for (const [index, seconds] of PAUSES.entries()) {
    for (let random = 0; random <= 1; random += 0.05) {
      const actualMs = retryPauseMs(PAUSES, index + 1, random)!;
      expect(Number.isInteger(actualMs)).toBe(true);
      expect(Math.abs(actualMs - seconds * 1_000)).toBeLessThanOrEqual(seconds * 1_000 * RETRY_JITTER + 1);
    }
  }
});

test('a pause is at least as long as the receiver asked for, and none follows the last', () => {
  expect(retryPauseMs(PAUSES, 1, 0.5, 60_000)).toBe(60_000);
  expect(retryPauseMs(PAUSES, 3, 0.5, 60_000)).toBe(86_400_000);
  expect(retryPauseMs(PAUSES, 4, 0.5, 60_000)).toBeUndefined();
});
