import { Place } from './place.js';

/** Ends a worker of a place each time that it has lived so long; the pauses before the next. */
function pausesAfter(...livedMs: readonly number[]): number[] {
  const place = new Place<string>(1);
  let now = 0;
  return livedMs.map((lived) => {
    place.fill('a worker', now);
    now += lived;
    return place.empty(now);
  });
}

test('the pause before the next worker doubles, up to half a minute', () => {
  expect(pausesAfter(...Array<number>(10).fill(1_000))).toEqual([
    250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000,
  ]);
});

test('after a worker that lived for a minute the pause is short again', () => {
  expect(pausesAfter(10, 10, 10, 59_999, 60_000, 10)).toEqual([250, 500, 1_000, 2_000, 250, 500]);
});

test('an empty place serves no one, and remembers that it did', () => {
  const place = new Place<string>(2);
  place.fill('a worker', 0);
  place.serves = place.hasServed = true;
  place.empty(1);
  expect(place).toMatchObject({ child: undefined, serves: false, hasServed: true });
});

test('a worker hangs that leaves ten beats unanswered; any sign of life, or the next worker, begins anew', () => {
  const place = new Place<string>(1);
  const beat = (times: number): boolean => {
    for (let beats = 0; beats < times; beats += 1) place.beat();
    return place.hangs;
  };
  expect(beat(20)).toBe(false); // nobody is there
  place.fill('a worker', 0);
  expect([beat(9), place.hear(), beat(9), beat(1)]).toEqual([false, undefined, false, true]);
  place.empty(1);
  place.fill('the next', 2);
  expect(beat(9)).toBe(false);
});
