import { TokenDrops } from './token-drops.js';

test('two drops of one hirer in the same millisecond are told apart', () => {
  const dropped = new TokenDrops();
  dropped.note('a', 1);
  const first = dropped.last('a');
  dropped.note('a', 1);
  expect(dropped.last('a')).not.toEqual(first);
  expect(dropped.last('b')).toBeUndefined();
});

test('a hirer whose note had to make room is not taken for one that was never dropped', () => {
  const dropped = new TokenDrops();
  dropped.note('a', 1);
  for (let index = 0; index < 10_000; index += 1) dropped.note(`other-${index}`, 2);
  expect(dropped.last('a')).toMatchObject({ at: 1 });
  dropped.note('one more', 3);
  expect(dropped.last('a')).toMatchObject({ at: 2 });
});

test('of a hirer and a user, the later drop counts', () => {
  const dropped = new TokenDrops();
  dropped.note('user', 1);
  dropped.note('hirer', 2);
  expect([dropped.last('hirer', 'user'), dropped.last('user', 'hirer')]).toMatchObject([
    { at: 2 },
    { at: 2 },
  ]);
  expect(dropped.last('another hirer', 'user')).toMatchObject({ at: 1 });
});

test('a drop that is noted late, as those from before a start are, hides no later one of the other owner', () => {
  const dropped = new TokenDrops();
  dropped.note('user', 2);
  dropped.note('hirer', 1);
  expect(dropped.last('hirer', 'user')).toMatchObject({ at: 2 });
  for (let index = 0; index < 10_000; index += 1) dropped.note(`other-${index}`, 1);
  expect(dropped.last('user')).toMatchObject({ at: 2 });
});
