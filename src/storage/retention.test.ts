import { pino } from 'pino';
import { Retention } from './retention.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const silent = pino({ level: 'silent' });

beforeEach(() => void jest.useFakeTimers({ now: 1_000 * DAY_MS }));
afterEach(() => void jest.useRealTimers());

/** From when on something was kept, at each purge of three hours. The first one fails. */
async function keptSince(days: number): Promise<number[]> {
  const asked: number[] = [];
  const purge = async (before: number): Promise<number> => {
    if (asked.push(before) === 1) throw new Error('the store is down');
    return 1;
  };
  const retention = new Retention({ what: 'things', days, purge }, silent);
  retention.onApplicationBootstrap();
  await jest.advanceTimersByTimeAsync(3 * HOUR_MS);
  await retention.onApplicationShutdown();
  await jest.advanceTimersByTimeAsync(3 * HOUR_MS);
  return asked;
}

test('what is older than its days is removed every hour until the stop, also after a failure', async () => {
  const since = 990 * DAY_MS;
  expect(await keptSince(10)).toEqual([since + HOUR_MS, since + 2 * HOUR_MS, since + 3 * HOUR_MS]);
});

test('of what is kept for 0 days, nothing is ever removed', async () => {
  expect(await keptSince(0)).toEqual([]);
});
