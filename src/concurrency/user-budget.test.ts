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

test('what was released can be taken again, and never more', () => {
  const operations = new UserBudget({ perUserMax: 2, totalMax: Infinity, what: 'operations' });
  operations.take('a', 2);
  operations.release('a');
  expect(() => operations.take('a', 2)).toThrow();
  operations.take('a');
  expect(() => operations.check('a')).toThrow();
});
