import { judgeOwnership } from './ownership.js';

const PATH = ['profile', 'organizations', 'id', 'value'];
const profile = (...ids: unknown[]): unknown => ({
  profile: { organizations: ids.map((value) => ({ id: { value } })) },
});

test.each([
  ['one value of the hirer', profile('own'), 'owned'],
  ['several values of the hirer', profile('own', 'own'), 'owned'],
  ['another hirer', profile('foreign'), 'refused'],
  ['another hirer among own ones', profile('own', 'foreign'), 'refused'],
  ['a null value', profile('own', null), 'refused'],
  ['an empty list', profile(), 'refused'],
  ['a null on the way', { profile: { organizations: null } }, 'refused'],
  ['a missing member on the way', { profile: {} }, 'refused'],
  ['an inherited member', { profile: Object.create({ organizations: { id: { value: 'own' } } }) }, 'refused'],
  ['an object where the value should be', profile({ own: 'own' }), 'refused'],
  ['a missing root field', { other: 1 }, 'refused'],
  ['a list of roots with a null', { profile: [null] }, 'refused'],
  ['data that is not an object', 'own', 'refused'],
  ['a null root field', { profile: null }, 'nothing'],
  ['null data', null, 'nothing'],
  ['no data', undefined, 'nothing'],
])('%s: %s', (_, data, verdict) => {
  expect(judgeOwnership(data, PATH, 'own')).toBe(verdict);
});
