import { staticKeys } from '../../../test/support/parts.js';
import { ecKeys, rsaKeys } from '../../../test/support/sign-token.js';

const END_USER_SECRET = ['a secret of thirty-two bytes or more'];
const key = { key: rsaKeys().publicKey, algorithms: ['RS256', 'PS256'] } as const;

test('public keys pin the algorithms of their type, which END_USER_ALGORITHMS narrows', () => {
  const END_USER_PUBLIC_KEY = [key];
  expect(staticKeys({ END_USER_PUBLIC_KEY }).algorithms).toEqual(['RS256', 'PS256']);
  expect(staticKeys({ END_USER_PUBLIC_KEY }, ['RS256']).algorithms).toEqual(['RS256']);
});

test('a shared secret takes HS256 unless told otherwise', () => {
  expect(staticKeys({ END_USER_SECRET }).algorithms).toEqual(['HS256']);
  expect(staticKeys({ END_USER_SECRET }, ['HS512']).algorithms).toEqual(['HS512']);
});

test('each of several keys is used for its own algorithms only', async () => {
  const ec = { key: ecKeys('P-256').publicKey, algorithms: ['ES256'] } as const;
  const keys = staticKeys({ END_USER_PUBLIC_KEY: [key, ec] }, ['RS256', 'ES256']);
  for await (const found of keys.find({ alg: 'RS256', kid: undefined })) expect(found).toBe(key.key);
  for await (const found of keys.find({ alg: 'ES256', kid: undefined })) expect(found).toBe(ec.key);
});
