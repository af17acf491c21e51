import { ecKeys, rsaKeys } from '../../../test/support/sign-token.js';
import type { Algorithm } from '../../config/values/algorithms.js';
import { FixedKeySource } from './fixed-key-source.js';

const SECRET = 'a secret of thirty-two bytes or more';
const key = { key: rsaKeys().publicKey, algorithms: ['RS256', 'PS256'] } as const;

test('public keys pin the algorithms of their type, which END_USER_ALGORITHMS narrows', () => {
  expect(FixedKeySource.publicKeys([key], []).algorithms).toEqual(['RS256', 'PS256']);
  expect(FixedKeySource.publicKeys([key], ['RS256']).algorithms).toEqual(['RS256']);
});

test('a shared secret takes HS256 unless told otherwise', () => {
  expect(FixedKeySource.secrets([SECRET], []).algorithms).toEqual(['HS256']);
  expect(FixedKeySource.secrets([SECRET], ['HS512']).algorithms).toEqual(['HS512']);
});

test('each of several keys is used for its own algorithms only', () => {
  const ec = { key: ecKeys('P-256').publicKey, algorithms: ['ES256'] } as const;
  const source = FixedKeySource.publicKeys([key, ec], ['RS256', 'ES256']);
  const found = (alg: Algorithm) => source.find({ alg, kid: undefined });
  expect(found('RS256')).toEqual([key.key]);
  expect(found('ES256')).toEqual([ec.key]);
  for (const alg of ['RS512', 'PS256', 'HS256'] as const) expect(() => found(alg)).toThrow('unknown_key');
});
