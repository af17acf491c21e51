import { refusalOf } from '../../test/support/parts.js';
import { compileOperation } from './compile/compile-operation.js';
import { RegisteredOperation } from './registered-operation.js';

const GUARD = new RegisteredOperation(
  compileOperation('query Owner($id: String!) @hirer(path: "x.owner") { x(id: $id) { owner } }', 'test'),
  () => {
    throw new Error('no guard');
  },
);
const OPERATION = new RegisteredOperation(
  compileOperation(
    `mutation A($input: In!) @hirer(variable: "input.hirerId")
       @hirer(query: "Owner", variables: { id: "input.ad.instructions.brandingId" }, optional: true) @token(use: PARTNER)
       { a(input: $input) }`,
    'test',
  ),
  () => GUARD,
);

/** The objects whose owner is asked for before the call is sent. */
function guardedIn(ad: unknown): unknown[] {
  return OPERATION.prepare({ input: { ad } }, 'own').guards.map(
    ({ bytes }) => (JSON.parse(bytes.toString()) as { variables: { id: unknown } }).variables.id,
  );
}

const codeFor = (ad: unknown): string => refusalOf(() => guardedIn(ad)).code;

describe('an optional query', () => {
  test.each([
    ['none', { instructions: [] }, []],
    ['none that is given', { instructions: [{ brandingId: null }, {}] }, []],
    ['none, for want of the object around it', undefined, []],
    ['each of a list', { instructions: [{ brandingId: 'a' }, { brandingId: 'b' }] }, ['a', 'b']],
    ['the same object once', { instructions: [{ brandingId: 'a' }, { brandingId: 'a' }] }, ['a']],
    ['an object where a list is expected', { instructions: { brandingId: 'a' } }, ['a']],
    ['lists at any depth', { instructions: [[{ brandingId: ['a'] }]] }, ['a']],
    ['an empty text', { instructions: [{ brandingId: '' }] }, ['']],
  ])('guards %s', (_, ad, ids) => {
    expect(guardedIn(ad)).toEqual(ids);
  });

  test.each([
    ['an object', { instructions: [{ brandingId: { value: 'a' } }] }],
    ['a number', { instructions: [{ brandingId: 7 }] }],
    ['a number where an object is expected on the way', { instructions: 7 }],
    ['a text where an object is expected on the way', { instructions: 'a' }],
  ])('refuses %s', (_, ad) => {
    expect(codeFor(ad)).toBe('invalid_request');
  });

  test('refuses more than ten objects, each of which would cost a call to the upstream', () => {
    const naming = (count: number) => ({
      instructions: Array.from({ length: count }, (_, index) => ({ brandingId: `b${index}` })),
    });
    expect(guardedIn(naming(10))).toHaveLength(10);
    expect(codeFor(naming(11))).toBe('invalid_request');
  });

  test('a member called like one that every object has names nothing, and __proto__ is refused', () => {
    const below = (name: string): unknown => JSON.parse(`{"${name}":{"instructions":[{"brandingId":"a"}]}}`);
    expect(guardedIn(below('constructor'))).toEqual([]);
    expect(codeFor(below('__proto__'))).toBe('invalid_request');
  });
});

describe('a query that is not optional', () => {
  const update = new RegisteredOperation(
    compileOperation(
      'mutation A($input: In!) @hirer(query: "Owner", variables: { id: "input.ad.id" }) @token(use: PARTNER) { a(input: $input) }',
      'test',
    ),
    () => GUARD,
  );

  test.each([
    ['a list of objects, of which another may name nothing', { ad: [{ id: 'a' }, { reference: 'b' }] }],
    ['a list of the objects around it', [{ ad: { id: 'a' } }, { ad: { reference: 'b' } }]],
    ['a list of its own', { ad: { id: ['a', null] } }],
    ['no object', { ad: {} }],
  ])('proves a single object: %s is refused', (_, input) => {
    expect(() => update.prepare({ input }, 'own')).toThrow(
      expect.objectContaining({ code: 'invalid_request' }) as Error,
    );
    expect(update.prepare({ input: { ad: { id: 'a' } } }, 'own').guards).toHaveLength(1);
  });
});
