import { Ajv2020 } from 'ajv/dist/2020.js';
import { buildSchema, parse } from 'graphql';
import { dataSchema } from './data-schema.js';

const SCHEMA = buildSchema(`
  scalar DateTime
  scalar Anything
  enum Colour { RED GREEN }
  type Query { pet(id: ID!): Pet, cats: [Cat!]! }
  interface Pet { name: String!, born: DateTime, owner: Owner! }
  type Cat implements Pet { name: String!, born: DateTime, owner: Owner!, lives: Int!, colour: Colour }
  type Dog implements Pet { name: String!, born: DateTime, owner: Owner!, tricks: [String]!, weight: Float }
  type Owner { name: String!, extra: Anything, pets: [Pet!] }
`);

function check(query: string): (data: unknown) => boolean {
  const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(
    dataSchema(SCHEMA, parse(query)),
  );
  return (data) => validate(data) === true;
}

describe('the JSON Schema of data', () => {
  const accepts = check(`
    query ($more: Boolean!) {
      pet(id: 1) {
        __typename
        title: name
        born
        ...Owned
        ... on Cat { lives colour }
        ... on Dog { tricks weight @include(if: $more) }
      }
    }
    fragment Owned on Pet { owner { name } owner { extra } }
  `);
  const owner = { name: 'Robin', extra: { any: [1] } };
  const pet = { __typename: 'Cat', title: 'Tom', born: null, owner };

  test('accepts each form that an object of several types has', () => {
    expect(accepts({ pet: { ...pet, lives: 9, colour: 'BLUE' } })).toBe(true);
    expect(accepts({ pet: { ...pet, __typename: 'Dog', tricks: ['sit', null] } })).toBe(true);
    expect(accepts({ pet: null })).toBe(true);
  });

  test.each([
    ['a member that is missing', { pet: { ...pet, colour: null } }],
    ['null where the schema has none', { pet: { ...pet, title: null, lives: 9, colour: null } }],
    ['another type of value', { pet: { ...pet, lives: 'nine', colour: null } }],
    ['a fraction for an Int', { pet: { ...pet, lives: 8.5, colour: null } }],
    ['a list that is none', { pet: { ...pet, tricks: 'sit' } }],
    [
      'a wrong value deep inside',
      { pet: { ...pet, lives: 9, colour: null, owner: { name: 7, extra: null } } },
    ],
    ['no data', {}],
  ])('refuses %s', (_name, data) => {
    expect(accepts(data)).toBe(false);
  });

  test('reads lists of objects, and lists that may be missing', () => {
    const lists = check('{ cats { owner { pets { name } } } }');
    expect(lists({ cats: [{ owner: { pets: null } }, { owner: { pets: [{ name: 'Tom' }] } }] })).toBe(true);
    expect(lists({ cats: [{ owner: { pets: [null] } }] })).toBe(false);
    expect(lists({ cats: null })).toBe(false);
  });
});
