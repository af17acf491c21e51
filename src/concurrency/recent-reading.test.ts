import { RecentReading } from './recent-reading.js';

test('what was read is kept for a time, until it is forgotten, and not if the reading failed', async () => {
  let now = 0;
  let read = async (): Promise<number> => 1;
  const reading = new RecentReading(
    () => read(),
    10_000,
    () => now,
  );
  expect(await reading.get()).toBe(1);
  read = async () => Promise.reject(new Error('no'));
  now = 9_999;
  expect(await reading.get()).toBe(1);
  now = 10_000;
  await expect(reading.get()).rejects.toThrow('no');
  read = async () => 2;
  expect(await reading.get()).toBe(2);
  read = async () => 3;
  reading.forget();
  expect(await reading.get()).toBe(3);
});
