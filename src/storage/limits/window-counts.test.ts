import { RateLimit } from './rate-limit.js';
import { WindowCounts } from './window-counts.js';

test('no more than 100,000 keys are held; the one counted least recently is forgotten first', () => {
  const counts = new WindowCounts(60_000, () => 0);
  for (let key = 0; key < 100_000; key += 1) counts.add(`${key}`, 1);
  expect(counts.add('0', 1).taken).toBe(2);
  counts.add('100000', 1);
  expect(counts.get('1')).toBeUndefined();
  expect(counts.get('0')?.taken).toBe(2);
});

test('what begins as asked is forgotten, and nothing else', () => {
  const counts = new WindowCounts(60_000, () => 0);
  for (const key of ['a', 'ab', 'ba']) counts.add(key, 1);
  counts.forget('a');
  expect(['a', 'ab', 'ba'].map((key) => counts.get(key)?.taken)).toEqual([undefined, undefined, 1]);
});

describe('a system clock that steps back an hour', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());
  const stepBack = (): void => {
    jest.setSystemTime(Date.now() - 3_600_000);
    jest.advanceTimersByTime(60_001);
  };

  test('refuses nobody for longer than the minute', () => {
    const limit = new RateLimit('requests', 1);
    expect([limit.takeUpTo('user', 1), limit.takeUpTo('user', 1)]).toMatchObject([
      { points: 1 },
      { points: 0 },
    ]);
    stepBack();
    expect(limit.takeUpTo('user', 1)).toMatchObject({ points: 1 });
  });
});
