import { part } from '../../test/support/sign-token.js';
import { claimedHeader, readToken } from './token-header.js';

const tokenWith = (header: object): string => `${part(header)}.${part({})}.${part('signature')}`;

test('the header selects among pinned algorithms and our own keys, nothing else', () => {
  const read = (header: object) => readToken(tokenWith({ alg: 'RS256', ...header }), ['RS256', 'PS256']);
  const plain = { alg: 'RS256', kid: 'one', issuer: undefined, claims: {}, isAccessToken: false };
  expect(read({ kid: 'one', cty: 'x' })).toEqual(plain);
  expect(read({ kid: 'one', typ: 'JWT' })).toEqual(plain);
  expect(read({ kid: 'one', typ: 'application/at+jwt' })).toEqual({ ...plain, isAccessToken: true });
});

test('what a refused token claims is shown, and an unreadable header claims nothing', () => {
  expect(claimedHeader(tokenWith({ alg: 'none', kid: 'a key' }))).toEqual({ alg: 'none', kid: 'a key' });
  expect(claimedHeader(tokenWith({ alg: 7 }))).toEqual({});
  expect(claimedHeader('not a token')).toEqual({});
});

test.each(['a\nb', 'a\0', 'a\u001b[31m', 'a\u202eb', 'kéy', '\ud800', '', 'k'.repeat(101)])(
  'a key id that is not short printable ASCII is not shown: %j',
  (kid) => expect(claimedHeader(tokenWith({ alg: 'RS256', kid }))).toEqual({ alg: 'RS256' }),
);
