import { RateLimit } from './rate-limit.js';

const pointsOf = (limit: RateLimit, key: string): unknown => limit.takeUpTo(key, 1);
const NONE_LEFT = { points: 0, refusal: { code: 'rate_limited' } };

test('no more than 100,000 keys are held; the one counted least recently is forgotten first', () => {
  const limit = new RateLimit('requests', 1);
  for (let key = 0; key < 100_000; key += 1) pointsOf(limit, `${key}`);
  expect(pointsOf(limit, '0')).toMatchObject(NONE_LEFT);
  pointsOf(limit, '100000');
  expect(pointsOf(limit, '0')).toMatchObject(NONE_LEFT);
  expect(pointsOf(limit, '1')).toMatchObject({ points: 1 });
});

test('what begins as asked is forgotten, and nothing else', async () => {
  const limit = new RateLimit('requests', 1);
  for (const key of ['a', 'ab', 'ba']) pointsOf(limit, key);
  await limit.forget('a');
  const again = ['a', 'ab', 'ba'].map((key) => pointsOf(limit, key));
  expect(again).toMatchObject([{ points: 1 }, { points: 1 }, NONE_LEFT]);
});

describe('a minute', () => {
  beforeEach(() => {
    jest.useFakeTimers();
    jest.advanceTimersByTime(1);
  });
  afterEach(() => void jest.useRealTimers());

  test('begins with the first point and is not made longer by further ones; a refusal says when it ends', () => {
    const limit = new RateLimit('requests', 2);
    for (const pause of [30_000, 29_500]) {
      expect(pointsOf(limit, 'user')).toMatchObject({ points: 1 });
      jest.advanceTimersByTime(pause);
    }
    expect(pointsOf(limit, 'user')).toMatchObject({ points: 0, refusal: { retryAfterSeconds: 1 } });
    jest.advanceTimersByTime(501);
    expect(pointsOf(limit, 'user')).toMatchObject({ points: 1 });
  });

  test('is no longer where the system clock steps back an hour', () => {
    const limit = new RateLimit('requests', 1);
    expect([pointsOf(limit, 'user'), pointsOf(limit, 'user')]).toMatchObject([{ points: 1 }, NONE_LEFT]);
    jest.setSystemTime(Date.now() - 3_600_000);
    jest.advanceTimersByTime(60_001);
    expect(pointsOf(limit, 'user')).toMatchObject({ points: 1 });
  });
});
