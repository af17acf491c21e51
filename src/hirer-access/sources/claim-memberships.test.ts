import { anEndUser, allScopes, membershipAt } from '../../../test/support/parts.js';
import { ClaimMemberships } from './claim-memberships.js';

const access = new ClaimMemberships('hirers', allScopes);
const HIRER = 'seek:org:acme';

test.each([
  ['an id', [HIRER], { hirerId: HIRER, roles: ['member'] }],
  ['an object', [{ hirerId: HIRER }], { hirerId: HIRER, roles: ['member'] }],
  ['an object with roles', [{ hirerId: HIRER, roles: ['owner'] }], { hirerId: HIRER, roles: ['owner'] }],
  ['an object with empty roles', [{ hirerId: HIRER, roles: [] }], { hirerId: HIRER, roles: [] }],
  [
    'one of a hundred',
    [...Array.from({ length: 99 }, (_, n) => `x:${n}`), HIRER],
    { hirerId: HIRER, roles: ['member'] },
  ],
])('the claim may name a hirer by %s', (_title, claim, membership) => {
  expect(membershipAt(access, anEndUser('ada', { hirers: claim }), HIRER)).toMatchObject(membership);
});

test.each([
  ['absent', undefined],
  ['null', null],
  ['text', HIRER],
  ['an object', { 0: HIRER, length: 1 }],
  ['too long', Array.from({ length: 101 }, () => HIRER)],
  ['malformed in one place', [HIRER, 7]],
  ['one with an id that is too long', [HIRER, 'x'.repeat(256)]],
  ['one with roles that are text', [{ hirerId: HIRER, roles: 'owner' }]],
  ['one with too many roles', [{ hirerId: HIRER, roles: Array.from({ length: 21 }, (_, n) => `r${n}`) }]],
  ['one with null for a membership', [HIRER, null]],
])('a claim that is %s gives no membership', (_title, hirers) => {
  const user = anEndUser('ada', { hirers });
  expect(membershipAt(access, user, HIRER)).toBeUndefined();
  expect(access.list(user)).toEqual(new Map());
});

test('the memberships of one token are not those of the next', () => {
  expect(access.list(anEndUser('ada', { hirers: [HIRER] })).size).toBe(1);
  expect(access.list(anEndUser('ada', { hirers: [] })).size).toBe(0);
});
