import { part } from '../../test/support/sign-token.js';
import { checkTokenHeader, claimedHeader } from './token-header.js';

const tokenWith = (header: object): string => `${part(header)}.${part({})}.${part('signature')}`;

test('the header selects among pinned algorithms and our own keys, nothing else', () => {
  expect(checkTokenHeader(tokenWith({ alg: 'RS256', kid: 'one', cty: 'x' }), ['RS256', 'PS256'])).toEqual({
    alg: 'RS256',
    kid: 'one',
  });
});

test.each([['none'], ['HS256'], ['RS512'], ['rs256'], [['RS256']], [undefined], [null]])(
  'an algorithm that is not pinned is refused before a key is looked up: %j',
  (alg) => {
    expect(() => checkTokenHeader(tokenWith({ alg }), ['RS256'])).toThrow('algorithm is not accepted');
  },
);

test('what a refused token claims is clipped, and an unreadable header claims nothing', () => {
  const long = 'k'.repeat(1_000);
  expect(claimedHeader(tokenWith({ alg: 'none', kid: long }))).toEqual({
    alg: 'none',
    kid: long.slice(0, 100),
  });
  expect(claimedHeader(tokenWith({ alg: 7 }))).toEqual({});
  expect(claimedHeader('not a token')).toEqual({});
});
