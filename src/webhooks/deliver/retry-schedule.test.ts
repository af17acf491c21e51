import { RETRY_JITTER, RETRY_PAUSES_MS, retryPauseMs } from './retry-schedule.js';

test('each pause stays within its jitter, and all pauses add up to about 47 hours', () => {
  for (const [index, pauseMs] of RETRY_PAUSES_MS.entries()) {
    for (let random = 0; random <= 1; random += 0.05) {
      const actualMs = retryPauseMs(index + 1, random)!;
      expect(Math.abs(actualMs - pauseMs)).toBeLessThanOrEqual(pauseMs * RETRY_JITTER + 1);
    }
  }
  const hours = RETRY_PAUSES_MS.reduce((sum, pauseMs) => sum + pauseMs, 0) / 3_600_000;
  expect(hours).toBeCloseTo(46.7, 1);
});

test('a pause is at least as long as the receiver asked for, and none follows the last', () => {
  expect(retryPauseMs(1, 0.5, 60_000)).toBe(60_000);
  expect(retryPauseMs(5, 0.5, 60_000)).toBe(1_800_000);
  expect(retryPauseMs(RETRY_PAUSES_MS.length + 1, 0.5, 60_000)).toBeUndefined();
});
