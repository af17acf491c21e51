import { parse } from 'graphql';
import { findRuleBreaks } from './operation-rules.js';

describe('findRuleBreaks', () => {
  test.each([
    ['variables with values', 'query($a: Int) { f(a: $a) }', { a: 0 }, []],
    [
      'an inlined object that holds a variable',
      'query($a: Int) { f(i: {a: $a}) }',
      { a: 1 },
      ['4.3.1 f(i:) is inlined'],
    ],
    ['an inlined argument of a nested field', '{ f { g(first: 3) } }', {}, ['4.3.1 g(first:) is inlined']],
    ['a variable without a value', 'query($a: Int) { f(a: $a) }', {}, ['4.3.2 f(a:) carries no value']],
    [
      'a null deep in a variable',
      'query($a: I) { f(a: $a) }',
      { a: { b: [{ c: null }] } },
      ['4.3.2 $a.b.0.c carries no value'],
    ],
    ['directives', 'query($a: Int) { f(a: $a) @include(if: true) }', { a: 1 }, []],
    ['introspection', '{ __type(name: "Query") { fields(includeDeprecated: true) { name } } }', {}, []],
  ])('finds the breaks of %s', (_what, query, variables, breaks) => {
    expect(findRuleBreaks(parse(query), variables)).toEqual(breaks);
  });
});
