import { LatestNotes } from './latest-notes.js';

test('the last note on a key is never older than the real one, whatever was read and made room', () => {
  const notes = new LatestNotes<number>(5);
  const real = new Map<string, number>();
  let seed = 11;
  const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let step = 1; step <= 5_000; step += 1) {
    const key = `key ${random(12)}`;
    if (random(3) > 0) {
      notes.last(key);
    } else {
      notes.note(key, step);
      real.set(key, step);
      expect(notes.last(key)).toBe(step);
    }
    const older = [...real].filter(([name, number]) => notes.last(name)! < number);
    expect(older).toEqual([]);
  }
});

test('of keys within the bound each has its own', () => {
  const notes = new LatestNotes<number>(2);
  notes.note('a', 1);
  notes.note('b', 2);
  expect(['a', 'b', 'c'].map((key) => notes.last(key))).toEqual([1, 2, undefined]);
});
