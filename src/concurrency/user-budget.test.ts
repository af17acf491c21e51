import { UserBudget } from './user-budget.js';

const budget = (): UserBudget => new UserBudget({ perUserMax: 3, totalMax: 4, what: 'downloads' });

test('one user is refused beyond their own share, and the others are not', () => {
  const downloads = budget();
  downloads.take('a', 3);
  expect(() => downloads.take('a')).toThrow(
    expect.objectContaining({ code: 'rate_limited', message: 'too many downloads of one user' }),
  );
  downloads.take('b');
  expect(downloads.total).toBe(4);
});

test('all together are refused beyond the whole, and a refusal takes nothing', () => {
  const downloads = budget();
  downloads.take('a', 2);
  downloads.take('b', 2);
  expect(() => downloads.take('c')).toThrow(expect.objectContaining({ code: 'unavailable' }));
  downloads.release('b', 2);
  downloads.take('c', 2);
  expect(downloads.total).toBe(4);
});

test('as much as there is room for can be taken, and all of it comes back', () => {
  const downloads = budget();
  expect(downloads.takeUpTo('a', 5)).toBe(3);
  expect(downloads.takeUpTo('b', 5)).toBe(1);
  expect(downloads.takeUpTo('c', 5)).toBe(0);
  downloads.release('a', 3);
  downloads.release('b', 1);
  expect(downloads.total).toBe(0);
});

test('what was released can be taken again, and never more', () => {
  const operations = new UserBudget({ perUserMax: 2, totalMax: Infinity, what: 'operations' });
  operations.take('a', 2);
  operations.release('a');
  expect(operations.takeUpTo('a', 5)).toBe(1);
  operations.release('a', 2);
  expect(operations.takeUpTo('a', 5)).toBe(2);
  expect(operations.takeUpTo('b', 2)).toBe(2);
});
