import { appendAttempt, readAttempts } from './deliveries.js';

test('what an older version kept of answers and objects is neither read nor written again', () => {
  const attempt = { time: 1, ms: 2, outcome: 'failed', status: 500, reason: 'sink: status 500' } as const;
  const older = JSON.stringify([
    { ...attempt, answer: 'candidate 4711', object: 'found', target: 'default' },
  ]);
  expect(readAttempts(older)).toEqual([attempt]);
  expect(JSON.parse(appendAttempt(older, { ...attempt, time: 3 }))).toEqual([
    attempt,
    { ...attempt, time: 3 },
  ]);
});
