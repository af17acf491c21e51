import { ConfigError } from '../config/load-config.js';
import { RoleScopes } from './role-scopes.js';

const ALLOWED = ['query:ontologies', 'query:ad-products', 'query:organizations'];
const SORTED = [...ALLOWED].sort();

const scopesOf = (text: string | undefined) => new RoleScopes({ ALLOWED_SCOPES: ALLOWED, ROLE_SCOPES: text });

describe('scopes of roles', () => {
  const scopes = scopesOf('viewer = query:ontologies; poster=query:ad-products query:ontologies;; none=');

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
    expect(open.warningsFor(['owner'])).toEqual([]);
  });

  test('ROLE_SCOPES without a name leaves scopes only to "member"', () => {
    const none = scopesOf(';');
    expect([none.scopesFor(['member']), none.scopesFor(['owner'])]).toEqual([SORTED, []]);
  });

  test('each role in use that is not named is reported once, with the role that was probably meant', () => {
    expect(
      scopes.warningsFor(['viewer', 'Viewer', 'owner', 'owner', 'member', 'none', 'MEMBER', 'post-er']),
    ).toEqual([
      '"MEMBER" is not named and has no scope; did you mean "member"?',
      '"Viewer" is not named and has no scope; did you mean "viewer"?',
      '"owner" is not named and has no scope',
      '"post-er" is not named and has no scope; did you mean "poster"?',
    ]);
  });

  test('a name that looks like "member" and does not narrow it is reported', () => {
    const nearMissesOf = (text: string) => scopesOf(text).nearMisses;
    expect(nearMissesOf('Member=query:ontologies')).toEqual([
      '"Member" is named, but "member" is not and has every allowed scope',
    ]);
    expect(nearMissesOf('Member=query:ontologies; member=')).toEqual([]);
    expect(nearMissesOf('viewer=')).toEqual([]);
  });

  test('ROLE_SCOPES may narrow the role "member" itself', () => {
    expect(scopesOf('member=query:ontologies').scopesFor(['member'])).toEqual(['query:ontologies']);
  });

  test.each([
    ['no equals sign', 'viewer', 'must be written as'],
    ['a role that is not a word', 'the viewer=query:ontologies', 'must be written as'],
    ['a scope that is not allowed', 'viewer=query:secret', 'not in ALLOWED_SCOPES'],
    ['a role named twice', 'viewer=query:ontologies;viewer=query:ad-products', 'second time'],
  ])('%s prevents the start, and its value is not repeated', (_title, text, fault) => {
    const build = () => scopesOf(text);
    expect(build).toThrow(ConfigError);
    expect(build).toThrow(/ROLE_SCOPES entry/);
    expect(build).toThrow(fault);
    expect(build).not.toThrow(/viewer|secret/);
  });

  test('every fault is listed at once', () => {
    expect(() => scopesOf('a;b=x;c')).toThrow(/entry 1[^]*entry 2[^]*entry 3/);
  });
});
