import { valuesAt } from './values-at.js';

describe('the values at a place', () => {
  test.each([
    [{ a: { b: 'x' } }, ['x']],
    [{ a: [{ b: 'x' }, { b: ['y', [['z']]] }] }, ['x', 'y', 'z']],
    [[[{ a: [[{ b: 'x' }]] }]], ['x']],
    [{ a: [null, {}, { b: null }, { b: [] }] }, []],
    [{ a: ['x', 7, { b: { c: 1 } }] }, [undefined, undefined, { c: 1 }]],
    [undefined, []],
  ])('%j has %j at a.b', (value, values) => {
    expect(valuesAt(value, ['a', 'b'])).toEqual(values);
  });

  test('cost no more the deeper the lists around them are nested', () => {
    const timeOf = (levels: number): number => {
      let value: unknown = new Array(100_000).fill('x');
      for (let level = 0; level < levels; level += 1) value = [value];
      const times = [1, 2, 3].map(() => {
        const startedAt = performance.now();
        expect(valuesAt({ a: value }, ['a']).length).toBe(100_000);
        return performance.now() - startedAt;
      });
      return Math.min(...times);
    };
    expect(timeOf(60)).toBeLessThan(Math.max(50, timeOf(1) * 8));
  });
});
