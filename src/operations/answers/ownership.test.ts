import { judgeOwnership, valuesAt } from './ownership.js';

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
  expect(judgeOwnership(data, [PATH], 'own', true)).toBe(verdict);
});

const BY_POSITION = ['profile', 'position', 'organizations', 'id', 'value'];
const BY_HISTORY = ['profile', 'history', 'position', 'organizations', 'id', 'value'];
const at = (...ids: unknown[]) => ({ organizations: ids.map((value) => ({ id: { value } })) });

describe('any of several paths', () => {
  test.each([
    ['one path names the hirer, the other is null', { position: at('own'), history: null }, 'owned'],
    ['one path names the hirer, the other is missing', { position: at('own') }, 'owned'],
    ['one path names the hirer, the other is an empty list', { position: at('own'), history: [] }, 'owned'],
    ['the other path alone names the hirer', { position: null, history: [{ position: at('own') }] }, 'owned'],
    ['a list names the hirer once', { history: [{ position: null }, { position: at('own') }] }, 'owned'],
    ['both name the hirer', { position: at('own'), history: [{ position: at('own', 'own') }] }, 'owned'],
    [
      'the other path names another hirer',
      { position: at('own'), history: [{ position: at('foreign') }] },
      'refused',
    ],
    [
      'a list names both hirers',
      { history: [{ position: at('own') }, { position: at('foreign') }] },
      'refused',
    ],
    ['one organization of a position is another hirer', { position: at('own', 'foreign') }, 'refused'],
    ['all paths are silent', { position: null, history: [] }, 'refused'],
    ['all paths are missing', {}, 'refused'],
    ['a value is an object', { position: at('own', { own: 'own' }) }, 'refused'],
    ['a value is a number', { position: at('own', 7) }, 'refused'],
    ['a text stands where an object should', { position: at('own'), history: 'own' }, 'refused'],
    ['a member is inherited', Object.create({ position: at('own') }) as object, 'refused'],
    ['a list holds lists', { position: [[at('own')], [[at('foreign')]]] }, 'refused'],
  ])('%s', (_, object, verdict) => {
    expect(judgeOwnership({ profile: object }, [BY_POSITION, BY_HISTORY], 'own', false)).toBe(verdict);
  });

  test.each([
    [
      'each of them is the hirer’s',
      [{ position: at('own') }, { history: [{ position: at('own') }] }],
      'owned',
    ],
    ['one of them is silent', [{ position: at('own') }, { position: null, history: [] }], 'refused'],
    ['the first of them is silent', [{}, { position: at('own') }], 'refused'],
    ['one of them is another hirer’s', [{ position: at('own') }, { position: at('foreign') }], 'refused'],
    ['one of them is null', [{ position: at('own') }, null], 'refused'],
    ['a silent one is in a list of its own', [[{ position: at('own') }], [{}]], 'refused'],
    ['there is none', [], 'refused'],
  ])('of a list at the root, no object proves another: %s', (_, roots, verdict) => {
    expect(judgeOwnership({ profile: roots }, [BY_POSITION, BY_HISTORY], 'own', false)).toBe(verdict);
  });

  test('an object that is not there has nothing to prove; a root field that is missing proves nothing', () => {
    const judge = (data: unknown) => judgeOwnership(data, [BY_POSITION], 'own', false);
    expect([null, undefined, { profile: null }].map(judge)).toEqual(['nothing', 'nothing', 'nothing']);
    for (const data of [{}, { other: 1 }, [{ profile: { position: at('own') } }]]) {
      expect(judge(data)).toBe('refused');
    }
  });
});

describe('the values at a place', () => {
  test.each([
    [{ a: { b: 'x' } }, ['x']],
    [{ a: [{ b: 'x' }, { b: ['y', [['z']]] }] }, ['x', 'y', 'z']],
    [[[{ a: [[{ b: 'x' }]] }]], ['x']],
    [{ a: [null, {}, { b: null }, { b: [] }] }, []],
    [{ a: ['x', 7, { b: { c: 1 } }] }, [undefined, undefined, { c: 1 }]],
    [undefined, []],
  ])('%j has %j at a.b', (value, values) => {
    expect(valuesAt(value, ['a', 'b'])).toEqual(values);
  });

  test('cost no more the deeper the lists around them are nested', () => {
    const timeOf = (levels: number): number => {
      let value: unknown = new Array(100_000).fill('x');
      for (let level = 0; level < levels; level += 1) value = [value];
      const times = [1, 2, 3].map(() => {
        const startedAt = performance.now();
        expect(valuesAt({ a: value }, ['a']).length).toBe(100_000);
        return performance.now() - startedAt;
      });
      return Math.min(...times);
    };
    expect(timeOf(60)).toBeLessThan(Math.max(50, timeOf(1) * 8));
  });
});
