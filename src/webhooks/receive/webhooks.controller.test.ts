import { UnverifiedBodies } from './webhooks.controller.js';

let now: number;
let bodies: UnverifiedBodies;
let cut: string[];
beforeEach(() => {
  [now, cut] = [0, []];
  bodies = new UnverifiedBodies(100, () => now);
});

/** Begins a body, and takes bytes for it. */
function begin(name: string, bytes: number): ReturnType<UnverifiedBodies['open']> {
  const share = bodies.open(() => {
    cut.push(name);
    share.end();
  });
  share.take(bytes);
  return share;
}

test('a body that does not fit is refused, and the others continue', () => {
  begin('first', 60);
  expect(() => begin('second', 60)).toThrow('too many webhook bodies');
  expect([cut, bodies.bytes]).toEqual([[], 60]);
});

test('bodies that take longer than a second make room, the oldest first, and no more than needed', () => {
  for (const name of ['a', 'b', 'c']) begin(name, 30);
  now = 1_000;
  begin('young', 10);
  begin('another', 40);
  expect([cut, bodies.bytes]).toEqual([['a', 'b'], 80]);
});

test('a body is never cut to make room for itself', () => {
  const share = begin('slow', 60);
  now = 1_000;
  expect(() => share.take(60)).toThrow('too many webhook bodies');
});

test('the bytes of a body are free when it ends', () => {
  begin('first', 100).end();
  expect(bodies.bytes).toBe(0);
});
