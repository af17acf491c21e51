import { NoSharedCache, type SharedCache } from '../storage/shared-cache.js';
import { someSecrets } from '../../test/support/some-secrets.js';
import { SharedTokens } from './shared-tokens.js';

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
