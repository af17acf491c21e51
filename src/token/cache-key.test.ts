import { sharedKey, tupleKey } from './cache-key.js';

describe('a tuple key', () => {
  test('is equal exactly when the tuples are, over 20,000 random pairs of parts that look alike', () => {
    let seed = 7;
    const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const part = (): string => Array.from({ length: random(4) }, () => '1:,a|\n'[random(6)]).join('');
    const tuple = (): string[] => Array.from({ length: 1 + random(3) }, part);
    for (let i = 0; i < 20_000; i += 1) {
      const [a, b] = [tuple(), tuple()];
      expect(tupleKey(a) === tupleKey(b)).toBe(JSON.stringify(a) === JSON.stringify(b));
    }
  });

  test('is a hash where it is shared, so that the store holds no identifier', () => {
    expect(sharedKey('kind', ['hirer', 'user'])).toMatch(/^kind:[\da-f]{64}$/);
    expect(sharedKey('kind', ['hirer', 'user'])).not.toBe(sharedKey('kind', ['hirer', 'use', 'r']));
  });
});
