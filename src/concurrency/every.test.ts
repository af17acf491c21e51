import { every } from './every.js';

const HOUR_MS = 3_600_000;
const fail = (error: unknown): never => {
  throw error;
};

test('a run that is woken while it runs is followed by one more, never joined by a second', async () => {
  let runs = 0;
  let atOnce = 0;
  let release = Promise.withResolvers<void>();
  const loop = every(
    HOUR_MS,
    async () => {
      runs += 1;
      atOnce += 1;
      expect(atOnce).toBe(1);
      await release.promise;
      atOnce -= 1;
    },
    fail,
  );
  loop.wake();
  loop.wake();
  loop.wake();
  release.resolve();
  release = Promise.withResolvers();
  release.resolve();
  await loop.stop();
  expect(runs).toBe(1);
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
  loop.wake();
  expect(errors).toHaveLength(runs);
});

test('stopping waits for the run under way', async () => {
  const release = Promise.withResolvers<void>();
  let ended = false;
  const loop = every(
    HOUR_MS,
    async () => {
      await release.promise;
      ended = true;
    },
    fail,
  );
  loop.wake();
  const stopping = loop.stop();
  release.resolve();
  await stopping;
  expect(ended).toBe(true);
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

test('work that wakes its loop before it waits for anything is followed by one more run, not joined by it', async () => {
  let runs = 0;
  let atOnce = 0;
  let atOnceMax = 0;
  const loop = every(
    HOUR_MS,
    async () => {
      runs += 1;
      atOnceMax = Math.max(atOnceMax, (atOnce += 1));
      if (runs === 1) loop.wake();
      await Promise.resolve();
      atOnce -= 1;
    },
    fail,
  );
  loop.wake();
  await new Promise(setImmediate);
  await loop.stop();
  expect({ runs, atOnceMax }).toEqual({ runs: 2, atOnceMax: 1 });
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
