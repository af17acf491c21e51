import { someSecrets } from '../../test/support/parts.js';
import { browserTokenKey, partnerTokenKey, SharedTokens } from './shared-tokens.js';
import { openCache } from '../../test/token/open-cache.js';

const TOKEN = { accessToken: 'token', issuedAt: 0, expiresAt: 1_000 };
const KEYS = [
  browserTokenKey('ada', '["hirer a"]'),
  browserTokenKey('ada', '["hirer b"]'),
  browserTokenKey('bob', '["hirer a"]'),
  partnerTokenKey(['issuer', 'client']),
] as const;

function setUp() {
  const cache = openCache();
  return { cache, tokens: new SharedTokens(cache, someSecrets(), () => 0) };
}

test('a cached copy that is forged, altered or stored under another key is ignored, and reveals no one', async () => {
  const { cache, tokens } = setUp();
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
  const { cache, tokens } = setUp();
  for (const key of KEYS) tokens.put(key, TOKEN);
  await tokens.dropUsers(['ada', 'eve']);
  expect([...cache.values.keys()]).toEqual([KEYS[2], KEYS[3]]);
});

test('the copy of a token is deleted, and that of the token which took its place stays', async () => {
  const { cache, tokens } = setUp();
  const [key] = KEYS;
  tokens.put(key, { ...TOKEN, accessToken: 'newer' });
  await tokens.drop(key, TOKEN.accessToken);
  expect(await tokens.get(key)).toMatchObject({ accessToken: 'newer' });
  await tokens.drop(key, 'newer');
  expect(cache.values.size).toBe(0);
});
