import { UserSlots } from './user-slots.js';

describe('UserSlots', () => {
  test('gives a user no more than the most, in parts where all is too much, and gives others theirs', () => {
    const slots = new UserSlots(3);
    expect([slots.take('a', 2), slots.take('a', 2), slots.take('a'), slots.take('b', 3)]).toEqual([
      2, 1, 0, 3,
    ]);
  });

  test('gives again what was released, and never more', () => {
    const slots = new UserSlots(2);
    slots.take('a', 2);
    slots.release('a');
    expect(slots.take('a', 5)).toBe(1);
    slots.release('a', 2);
    expect(slots.take('a', 5)).toBe(2);
  });
});
