import { Seal } from './seal.js';

const NEW_KEY = 'eG7Wq1Xo5Bi9Vt3Ru8Pn2Ck6Dj4Mz0Hs';
const OLD_KEY = 'uVx3Kp9Zr5Tb1Nw7Qd2Fh8Jm4Ls6Yc0A';

const sealOf = (keys: string[], use: string): Seal => new Seal(() => keys, use);

describe('a sealed value', () => {
  const seal = sealOf([NEW_KEY], 'tests');

  test('opens for the purpose it was sealed for, moved to no other key, and reveals nothing', () => {
    const sealed = seal.seal('a token', 'key 1');
    expect([seal.open(sealed, 'key 1'), seal.open(sealed, 'key 2')]).toEqual(['a token', undefined]);
    expect(sealed.includes('a token')).toBe(false);
    expect(seal.seal('a token', 'key 1').equals(sealed)).toBe(false);
  });

  test('opens under the newest and the previous key, and under no other key or use', () => {
    const old = sealOf([OLD_KEY], 'tests').seal('a token', 'key 1');
    expect(sealOf([NEW_KEY, OLD_KEY], 'tests').open(old, 'key 1')).toBe('a token');
    expect(seal.open(old, 'key 1')).toBeUndefined();
    expect(sealOf([OLD_KEY], 'another use').open(old, 'key 1')).toBeUndefined();
  });

  test('does not open when any bit is changed or any byte is missing', () => {
    const sealed = seal.seal('a token', 'key 1');
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const changed = Buffer.from(sealed);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      expect(seal.open(changed, 'key 1')).toBeUndefined();
    }
    for (let bytes = 0; bytes < sealed.length; bytes += 1) {
      expect(seal.open(sealed.subarray(0, bytes), 'key 1')).toBeUndefined();
    }
  });
});
