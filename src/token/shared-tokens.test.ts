import { NoSharedCache, type SharedCache } from '../storage/shared-cache.js';
import { someSecrets } from '../../test/support/some-secrets.js';
import { browserTokenKey, partnerTokenKey, SharedTokens } from './shared-tokens.js';

test('what identifies a shared token keeps nothing in memory but itself, written or read', async () => {
  let arrived = Buffer.alloc(0);
  const cache: SharedCache = Object.assign(new NoSharedCache() as SharedCache, {
    set: async (_key: string, value: Buffer) => void (arrived = Buffer.concat([value, Buffer.alloc(65_536)])),
    get: async () => arrived.subarray(0, length),
  });
  const tokens = new SharedTokens(cache, someSecrets(), () => 0);
  const put = tokens.put('key', { accessToken: 'token', issuedAt: 0, expiresAt: 1_000 });
  const { length } = put.sealed;
  const read = await tokens.get('key');
  expect(read).toEqual(put);
  expect([put, read].map((token) => token!.sealed.buffer.byteLength)).toEqual([length, length]);
});

/** A cache whose values anybody may read and write. */
function openCache() {
  const values = new Map<string, Buffer>();
  return Object.assign(new NoSharedCache() as SharedCache, {
    values,
    get: async (key: string) => values.get(key),
    set: async (key: string, value: Buffer) => void values.set(key, value),
    deleteAll: async (start: string) => {
      for (const key of values.keys()) if (key.startsWith(start)) values.delete(key);
    },
  });
}

const TOKEN = { accessToken: 'token', issuedAt: 0, expiresAt: 1_000 };
const KEYS = [
  browserTokenKey('ada', '["hirer a"]'),
  browserTokenKey('ada', '["hirer b"]'),
  browserTokenKey('bob', '["hirer a"]'),
  partnerTokenKey(['issuer', 'client']),
] as const;

test('a copy that is forged, altered or stands under the key of another is none, and names nobody', async () => {
  const cache = openCache();
  const tokens = new SharedTokens(cache, someSecrets(), () => 0);
  for (const key of KEYS) tokens.put(key, { ...TOKEN, accessToken: `of ${key}` });
  for (const key of KEYS) {
    expect((await tokens.get(key))?.accessToken).toBe(`of ${key}`);
    const own = cache.values.get(key)!;
    const altered = Buffer.from(own);
    altered[altered.length - 1]! ^= 1;
    const others = KEYS.filter((other) => other !== key).map((other) => cache.values.get(other)!);
    for (const value of [altered, Buffer.from('junk'), Buffer.from(JSON.stringify(TOKEN)), ...others]) {
      cache.values.set(key, value);
      expect(await tokens.get(key)).toBeUndefined();
    }
    cache.values.set(key, own);
  }
  for (const name of ['ada', 'bob', 'hirer', 'issuer', 'client']) expect(KEYS.join(' ')).not.toContain(name);
});

test('the copies of a user are deleted, and no others', async () => {
  const cache = openCache();
  const tokens = new SharedTokens(cache, someSecrets(), () => 0);
  for (const key of KEYS) tokens.put(key, TOKEN);
  await tokens.dropUsers(['ada', 'eve']);
  expect([...cache.values.keys()]).toEqual([KEYS[2], KEYS[3]]);
});
