import { pino } from 'pino';
import { Retention } from './retention.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const silent = pino({ level: 'silent' });

/** A replica whose clock is a hundred days ahead of that of the database. */
beforeEach(() => void jest.useFakeTimers({ now: 1_100 * DAY_MS }));
afterEach(() => void jest.useRealTimers());

/** From when on something was kept, at each purge of the start and two hours. The first one fails. */
async function keptSince(days: number): Promise<number[]> {
  const asked: number[] = [];
  const purge = async (before: number): Promise<number> => {
    if (asked.push(before) === 1) throw new Error('the store is down');
    return 1;
  };
  const database = { now: async () => Date.now() - 100 * DAY_MS };
  const retention = new Retention({ what: 'things', purge }, days, database, silent);
  retention.onApplicationBootstrap();
  await jest.advanceTimersByTimeAsync(2 * HOUR_MS);
  await retention.onApplicationShutdown();
  await jest.advanceTimersByTimeAsync(3 * HOUR_MS);
  return asked;
}

test('what is older than its days, by the clock of the database, is removed at the start and every hour until the stop', async () => {
  const since = 990 * DAY_MS;
  expect(await keptSince(10)).toEqual([since, since + HOUR_MS, since + 2 * HOUR_MS]);
});

test('of what is kept for 0 days, nothing is ever removed', async () => {
  expect(await keptSince(0)).toEqual([]);
});
