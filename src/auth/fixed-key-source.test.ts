import { rsaKeys } from '../../test/support/sign-token.js';
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
