import { every } from './every.js';

const HOUR_MS = 3_600_000;
const fail = (error: unknown): never => {
  throw error;
};

test.each([
  ['while it runs', 3, false],
  ['by itself, before it waits for anything,', 1, true],
])('a run that is woken %s is followed by one more, never joined by it', async (_when, wakes, byItself) => {
  let runs = 0;
  let atOnce = 0;
  let atOnceMax = 0;
  const loop = every(
    HOUR_MS,
    async () => {
      runs += 1;
      atOnceMax = Math.max(atOnceMax, (atOnce += 1));
      if (byItself && runs === 1) loop.wake();
      await Promise.resolve();
      atOnce -= 1;
    },
    fail,
  );
  for (let wake = 0; wake < wakes; wake += 1) loop.wake();
  await new Promise(setImmediate);
  await loop.stop();
  expect({ runs, atOnceMax }).toEqual({ runs: 2, atOnceMax: 1 });
});

test('the work repeats, also after a failure, until it is stopped', async () => {
  const errors: unknown[] = [];
  const third = Promise.withResolvers<void>();
  let runs = 0;
  const loop = every(
    1,
    () => {
      runs += 1;
      if (runs === 3) third.resolve();
      throw new Error(`run ${runs}`);
    },
    (error) => errors.push(error),
  );
  await third.promise;
  await loop.stop();
  expect(errors).toHaveLength(runs);
  const before = runs;
  loop.wake();
  expect(runs).toBe(before);
});

test('stopping waits for the run under way, which was woken, and begins no other', async () => {
  const release = Promise.withResolvers<void>();
  let ended = 0;
  const loop = every(
    HOUR_MS,
    async () => {
      await release.promise;
      ended += 1;
    },
    fail,
  );
  loop.wake();
  loop.wake();
  const stopping = loop.stop();
  const turn = new Promise((resolve) => setImmediate(resolve, 'it waits'));
  expect(await Promise.race([stopping, turn])).toBe('it waits');
  release.resolve();
  await stopping;
  expect(ended).toBe(1);
});

test('a run that wakes itself and fails waits for the interval', async () => {
  let runs = 0;
  const loop = every(
    HOUR_MS,
    async () => {
      runs += 1;
      await Promise.resolve();
      if (runs === 10) return;
      loop.wake();
      throw new Error('it fails');
    },
    () => undefined,
  );
  loop.wake();
  await new Promise(setImmediate);
  await loop.stop();
  expect(runs).toBe(1);
});

test('a call to wake it that comes as a run ends is followed by one more, too', async () => {
  for (let turns = 0; turns < 10; turns += 1) {
    let hasRun = false;
    const loop = every(HOUR_MS, () => void (hasRun = true), fail);
    loop.wake();
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    hasRun = false;
    loop.wake();
    await new Promise(setImmediate);
    await loop.stop();
    expect({ turns, hasRun }).toEqual({ turns, hasRun: true });
  }
});
