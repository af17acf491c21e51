import { BffError } from '../errors/bff-error.js';
import { shape } from '../../test/support/parts.js';

/** The answer as the caller sees it. */
function shown(
  text: string,
  answer: unknown,
): { data?: unknown; errors?: readonly Record<string, unknown>[] } {
  const outcome = shape(text, answer);
  if (outcome instanceof BffError) throw outcome;
  return JSON.parse(outcome.body.toString()) as { data?: unknown };
}

const TWO_ROOTS = `query Two($id: String!, $other: String!, $hirerId: String!, $x: Boolean!)
  @hirer(path: "a.owner") @hirer(path: "b.owner") @hirer(variable: "hirerId") @token(use: PARTNER) {
  a(id: $id) { owner @skip(if: $x) name items { name } }
  b: a(id: $other) { owner name }
  c(hirerId: $hirerId) { name }
}`;

const SECRET = 'Jane Foreign, jane@foreign.example';
const secretError = (path?: unknown): object => ({
  message: SECRET,
  path,
  locations: [{ line: 1, column: 1 }],
  extensions: { code: 'NOT_FOUND', trace: SECRET, detail: { name: SECRET } },
});
const MASKED = { message: 'A part of the object could not be read.', extensions: { code: 'NOT_FOUND' } };
const ROOTS = { a: { owner: 'own', name: 'A', items: [] }, b: { owner: 'own', name: 'B' }, c: { name: 'C' } };

describe('errors of an operation that is bound by a path', () => {
  test.each([
    ['at a root that came out null', { ...ROOTS, b: null }, ['b'], ['b']],
    ['below a root that came out null', { ...ROOTS, b: null }, ['b', 'name'], ['b', 'name']],
    ['at a field that was not asked for', { ...ROOTS, b: null }, ['b', 0, SECRET], ['b', 0]],
    ['at a root that is tied by a variable and null', { ...ROOTS, c: null }, ['c'], ['c']],
    ['without a path', ROOTS, undefined, undefined],
    ['with an empty path', ROOTS, [], undefined],
    ['with a path that is a text', ROOTS, SECRET, undefined],
    ['at a root that was not asked for', { ...ROOTS, d: { x: 1 } }, [SECRET], undefined],
    ['at a name that every object inherits', ROOTS, ['constructor', 'name'], undefined],
    ['at the number of a root', ROOTS, [0], undefined],
    ['with null data', null, ['a', 'name'], ['a', 'name']],
    ['without data', undefined, ['a', 'name'], ['a', 'name']],
    ['without data and path', undefined, undefined, undefined],
  ])('%s keep code and path, and lose text, places and the rest', (_, data, path, shownPath) => {
    const { errors } = shown(TWO_ROOTS, { data, errors: [secretError(path)] });
    expect(errors).toEqual([{ ...MASKED, ...(shownPath && { path: shownPath }) }]);
  });

  test('at a root that is of no hirer keep no text: it proves nothing', () => {
    const text = 'query A($id: String!) @hirer(path: "a.owner") { a(id: $id) { owner } v: version }';
    const error = { message: SECRET, path: ['v'] };
    const { errors } = shown(text, { data: { a: null, v: '1' }, errors: [error] });
    expect(errors).toEqual([{ ...MASKED, path: ['v'], extensions: undefined }]);
  });

  test('have the forms of the specification, whatever the upstream sends', () => {
    const strange = {
      message: { x: SECRET },
      locations: [{ line: 1, column: 2, x: SECRET }, SECRET, { line: SECRET, column: 1 }],
      path: ['a', 0, { x: SECRET }],
      extensions: { code: { x: SECRET } },
    };
    const { errors } = shown(TWO_ROOTS, { data: ROOTS, errors: [strange] });
    expect(errors).toEqual([{ message: MASKED.message, path: ['a', 0] }]);
  });

  test.each([
    ['a', ['a', 'items', 0, 'name']],
    ['b', ['b', 'name']],
    ['c', ['c', 'name']],
  ])('below the root %s, proven and partly null, keep their text', (_, path) => {
    const error = { message: 'No name.', path, extensions: { code: 'X', trace: SECRET } };
    const { errors } = shown(TWO_ROOTS, { data: ROOTS, errors: [error] });
    expect(errors).toEqual([{ message: 'No name.', path, extensions: { code: 'X' } }]);
  });

  test.each([[{ name: SECRET }], [SECRET], [['NOT', SECRET]]])(
    'a code that is not a word, %j, is withheld too',
    (code) => {
      const answer = { data: null, errors: [{ message: SECRET, extensions: { code } }] };
      expect(JSON.stringify(shown(TWO_ROOTS, answer))).not.toContain('Jane');
    },
  );

  test.each([[SECRET], [null], [[SECRET]], [7]])(
    'an error that is not an object, %j, shows nothing',
    (error) => {
      expect(JSON.stringify(shown(TWO_ROOTS, { data: null, errors: [error] }))).not.toContain('Jane');
    },
  );

  test('errors of an operation that a variable ties keep their text', () => {
    const text = 'query A($h: String!) @hirer(variable: "h") @token(use: PARTNER) { a(h: $h) { x } }';
    const { errors } = shown(text, { data: { a: null }, errors: [{ message: 'No.', path: ['a'] }] });
    expect(errors).toEqual([{ message: 'No.', path: ['a'] }]);
  });
});

describe('ownership', () => {
  test.each([
    ['the value is left out by the caller', { ...ROOTS, a: { name: 'A' } }],
    ['one root is foreign and the other null', { ...ROOTS, a: { owner: 'foreign', name: SECRET }, b: null }],
    ['one root is missing', { a: ROOTS.a, c: ROOTS.c }],
    ['a list holds a null', { ...ROOTS, a: [ROOTS.a, null] }],
    ['a list of lists holds an empty one', { ...ROOTS, a: [[ROOTS.a], []] }],
    ['a list of lists holds a foreign one', { ...ROOTS, a: [[ROOTS.a], [[{ owner: 'foreign' }]]] }],
    ['the value is a list that holds a null', { ...ROOTS, a: { owner: ['own', null] } }],
    ['the value is a number', { ...ROOTS, a: { owner: 1.0 } }],
    ['the data has no members', {}],
  ])('nothing is shown when %s', (_, data) => {
    const outcome = shape(TWO_ROOTS, { data, errors: [secretError(['a'])] });
    expect(outcome).toMatchObject({ code: 'hirer_forbidden' });
  });

  test('a selected member under an escaped name is that member, judged as it is shown', () => {
    const withOwner = (owner: string): string =>
      `{"data":{"a":{"\\u006fwner":"${owner}","name":"N"},"b":null,"c":null}}`;
    const { data } = shown(TWO_ROOTS, withOwner('own'));
    expect(data).toEqual({ a: { owner: 'own', name: 'N' }, b: null, c: null });
    expect(shape(TWO_ROOTS, withOwner('foreign'))).toMatchObject({ code: 'hirer_forbidden' });
  });

  test('members called like those of every object are members like others', () => {
    const text =
      'query A($id: String!) @hirer(path: "a.owner") { a(id: $id) { owner constructor toString } }';
    expect(shape(text, '{"data":{"a":{"__proto__":{"owner":"own"}}}}')).toMatchObject({
      code: 'hirer_forbidden',
    });
    expect(shape(text, '{"data":{"__proto__":{"a":{"owner":"own"}}}}')).toMatchObject({
      code: 'hirer_forbidden',
    });
    const data = { a: { owner: 'own', constructor: 'x', toString: 'y' } };
    expect(shown(text, { data }).data).toEqual(data);
  });
});
