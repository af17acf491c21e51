import { RoleScopes } from './role-scopes.js';

const ALLOWED = ['query:ontologies', 'query:ad-products', 'query:organizations'];
const SORTED = [...ALLOWED].sort();

const scopesOf = (byRole: ReadonlyMap<string, readonly string[]> | undefined) =>
  new RoleScopes({ ALLOWED_SCOPES: ALLOWED, ROLE_SCOPES: byRole });

describe('scopes of roles', () => {
  const scopes = scopesOf(
    new Map([
      ['viewer', ['query:ontologies']],
      ['poster', ['query:ad-products', 'query:ontologies']],
      ['none', []],
    ]),
  );

  test.each([
    ['a member may ask for every allowed scope', ['member'], SORTED],
    ['a role that is not named may ask for none', ['owner'], []],
    ['nor may one that differs in case alone', ['Viewer'], []],
    ['nor one named like a member of every object', ['constructor'], []],
    ['a named role may ask for its own only', ['viewer'], ['query:ontologies']],
    [
      'several named roles add up, sorted and once each',
      ['poster', 'viewer'],
      ['query:ad-products', 'query:ontologies'],
    ],
    ['an unnamed role beside a named one adds nothing', ['viewer', 'owner'], ['query:ontologies']],
    ['the role "member" beside a named one opens all', ['viewer', 'member'], SORTED],
    ['a role may be named with no scope', ['none'], []],
    ['no role, no scope', [], []],
  ])('%s', (_title, roles, expected) => {
    expect(scopes.scopesFor(roles)).toEqual(expected);
  });

  test('without ROLE_SCOPES every role may ask for every allowed scope, and no role for none', () => {
    const open = scopesOf(undefined);
    expect(open.scopesFor(['owner'])).toEqual(SORTED);
    expect(open.scopesFor(['owner', 'viewer'])).toEqual(SORTED);
    expect(open.scopesFor([])).toEqual([]);
  });

  test('ROLE_SCOPES that without a name leaves scopes only to "member"', () => {
    const none = scopesOf(new Map());
    expect([none.scopesFor(['member']), none.scopesFor(['owner'])]).toEqual([SORTED, []]);
  });

  test('ROLE_SCOPES may narrow the role "member" itself', () => {
    expect(scopesOf(new Map([['member', ['query:ontologies']]])).scopesFor(['member'])).toEqual([
      'query:ontologies',
    ]);
  });

  test('of a hirer that is stated twice the first membership counts, in whatever order the others are', () => {
    const stated = [
      { hirerId: 'b', roles: ['viewer'] },
      { hirerId: 'a', roles: ['machine'] },
      { hirerId: 'b', roles: ['poster'] },
      { hirerId: 'a', roles: ['none'] },
    ];
    expect([...scopes.membershipsOf(stated)]).toEqual([
      ['a', { hirerId: 'a', roles: ['none'], scopes: [] }],
      ['b', { hirerId: 'b', roles: ['viewer'], scopes: ['query:ontologies'] }],
    ]);
  });
});
