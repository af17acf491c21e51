import { MEMBER_PLACE, memberAt, onlyMemberAt } from './member-at.js';

const CLAIMS = {
  hirers: 1,
  'https://partner.test/hirers': 2,
  resource_access: { bff: { hirers: 3 }, 'a/b~c': 4 },
  list: [{ hirers: 5 }],
  '': { '': 6 },
};

test.each([
  ['hirers', 1],
  ['https://partner.test/hirers', 2],
  ['/hirers', 1],
  ['/resource_access/bff/hirers', 3],
  ['/resource_access/a~1b~0c', 4],
  ['//', 6],
  ['/resource_access/bff/none', undefined],
  ['/list/0/hirers', undefined],
  ['toString', undefined],
  ['/resource_access/bff/__proto__', undefined],
  ['/hirers/deeper', undefined],
])('%s names the value %s', (place, value) => {
  expect(place).toMatch(MEMBER_PLACE);
  expect(memberAt(CLAIMS, place)).toBe(value);
});

test.each(['', '/a~', '/a~2'])('%j names nothing', (place) => {
  expect(place).not.toMatch(MEMBER_PLACE);
});

test.each(['hirers', 'https://partner.test/hirers', '/resource_access/a~1b~0c', '//'])(
  'an object with %s alone has the same value there',
  (place) => {
    const only = onlyMemberAt(CLAIMS, place);
    expect(memberAt(only, place)).toBe(memberAt(CLAIMS, place));
    expect(Object.keys(only)).toHaveLength(1);
    expect(JSON.stringify(only)).not.toContain('list');
  },
);
