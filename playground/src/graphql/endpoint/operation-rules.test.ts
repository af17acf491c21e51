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
    ['a variable with a default', 'query($a: Int = 3) { f(a: $a) }', {}, []],
    [
      'a default that is empty',
      'query($a: String = "") { f(a: $a) }',
      {},
      ['4.3.2 f(a:) carries no value', '4.3.2 $a carries no value'],
    ],
    [
      'null in place of a default',
      'query($a: Int = 3) { f(a: $a) }',
      { a: null },
      ['4.3.2 f(a:) carries no value', '4.3.2 $a carries no value'],
    ],
    ['a fragment in use', '{ ...F } fragment F on T { f(a: 1) }', {}, ['4.3.1 f(a:) is inlined']],
    ['directives', 'query($a: Int) { f(a: $a) @include(if: true) }', { a: 1 }, []],
    ['introspection', '{ __type(name: "Query") { fields(includeDeprecated: true) { name } } }', {}, []],
  ])('finds the breaks of %s', (_what, query, variables, breaks) => {
    expect(findRuleBreaks(parse(query), variables)).toEqual(breaks);
  });

  test('judges only the operation that runs, with the fragments it uses', () => {
    const text = `query Good($a: Int) { f(a: $a) ...Used }
      query Bad($b: Int = 1) { f(a: 1) g(b: $b) ...Unused }
      fragment Used on T { h(c: $a) ...Used } fragment Unused on T { h(c: 1) }`;
    expect(findRuleBreaks(parse(text), { a: 1 }, 'Good')).toEqual([]);
    expect(findRuleBreaks(parse(text), {}, 'Bad')).toEqual([
      '4.3.1 f(a:) is inlined',
      '4.3.1 h(c:) is inlined',
    ]);
    expect(findRuleBreaks(parse(text), {}, 'Other')).toEqual([]);
  });
});
