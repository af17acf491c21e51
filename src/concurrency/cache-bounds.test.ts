import { LRUCache } from 'lru-cache';
import { cacheBounds } from './cache-bounds.js';

const fill = (cache: LRUCache<string, string>, values: readonly string[]): string[] => {
  values.forEach((value, index) => cache.set(`${index}`, value));
  return [...cache.keys()];
};

test('of more entries than there may be the latest stay', () => {
  expect(fill(new LRUCache(cacheBounds<string, string>(2)), ['a', 'b', 'c'])).toEqual(['2', '1']);
});

test.each([
  ['small', ['a', 'b', 'c'], ['2', '1']],
  ['large', ['aaaaaa', 'bbbbbb'], ['1']],
  ['too large', ['a', 'b'.repeat(11)], ['0']],
])('%s entries are bounded in number and in bytes', (_size, values, kept) => {
  expect(fill(new LRUCache(cacheBounds<string, string>(2, 10, (value) => value.length)), values)).toEqual(
    kept,
  );
});

test('so many entries fit, whatever does not divide evenly', () => {
  const keys = Array.from({ length: 8 }, (_, index) => `${index}`);
  expect(fill(new LRUCache(cacheBounds<string, string>(7, 100)), keys)).toHaveLength(7);
});
