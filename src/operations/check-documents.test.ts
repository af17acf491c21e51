import { buildSchema, introspectionFromSchema, parse } from 'graphql';
import { checkDocuments, readSchema, SchemaFault, toCheckedDocument } from './check-documents.js';
import { compileOperation } from './compile/compile-operation.js';

const SDL = `
  type Query { ad(id: String!, old: Int @deprecated): Ad  ads(filter: Filter): [Ad!]! }
  type Mutation { close(input: CloseInput!): Ad }
  type Ad { id: String! title: String! name: String @deprecated(reason: "Use title") }
  input Filter { hirerId: String  kinds: [Kind!] }
  input Kind { code: String }
  input CloseInput { ad: CloseAd! }
  input CloseAd { id: String! }
`;
const SCHEMA = buildSchema(SDL);

function findings(text: string, schema = SCHEMA): string[] {
  const operation = toCheckedDocument(compileOperation(text, 'file'));
  const { faults, deprecated } = checkDocuments(schema, [operation]);
  return [...faults.map((one) => `fault ${one}`), ...deprecated.map((one) => `deprecated ${one}`)];
}

describe('a document is checked against a schema', () => {
  test('one that the schema accepts has no finding, whatever our own directives say', () => {
    expect(
      findings(
        `mutation A($input: CloseInput!) @hirer(query: "B", variables: { id: "input.ad.id" }) @token(use: PARTNER) @role(any: ["a"])
         { close(input: $input) { id title } }`,
      ),
    ).toEqual([]);
  });

  test.each([
    [
      'an unknown field',
      'query A($id: String!) { ad(id: $id) { owner } }',
      'Cannot query field "owner" on type "Ad".',
    ],
    [
      'an unknown type',
      'query A($f: Filters) { ads(filter: $f) { id } }',
      'Unknown type "Filters". Did you mean "Filter"?',
    ],
    [
      'a missing argument',
      'query A { ad { id } }',
      'Field "ad" argument "id" of type "String!" is required, but it was not provided.',
    ],
    [
      'a variable of another type',
      'query A($id: Int!) { ad(id: $id) { id } }',
      'Variable "$id" of type "Int!" used in position expecting type "String!".',
    ],
    [
      'a bound member that the input does not have',
      'query A($f: Filter) @hirer(variable: "f.hirer") { ads(filter: $f) { id } }',
      'A directive names "f.hirer", but Filter has no member "hirer".',
    ],
    [
      'a bound member of what has no members',
      'query A($f: Filter) @hirer(variable: "f.hirerId.value") { ads(filter: $f) { id } }',
      'A directive names "f.hirerId.value", but String has no member "value".',
    ],
    [
      'a guarded member below a list',
      'query A($f: Filter) @hirer(query: "B", variables: { id: "f.kinds.id" }, optional: true) { ads(filter: $f) { id } }',
      'A directive names "f.kinds.id", but Kind has no member "id".',
    ],
  ])('%s is a fault', (_, text, sentence) => {
    expect(findings(text)).toEqual([`fault file: ${sentence}`]);
  });

  test.each([
    ['field', 'query A($id: String!) { ad(id: $id) { name } }', 'The field Ad.name is deprecated. Use title'],
    [
      'argument',
      'query A($id: String!, $old: Int) { ad(id: $id, old: $old) { id } }',
      'Field "Query.ad" argument "old" is deprecated. No longer supported',
    ],
  ])('a deprecated %s is reported separately', (_, text, sentence) => {
    expect(findings(text)).toEqual([`deprecated file: ${sentence}`]);
  });

  test('no more than twenty faults of a document are reported', () => {
    const fields = Array.from({ length: 50 }, (_, index) => `f${index}`).join(' ');
    expect(findings(`query A($id: String!) { ad(id: $id) { ${fields} } }`).length).toBeLessThanOrEqual(21);
  });
});

describe('a schema is read', () => {
  const query = { source: 'file', document: parse('{ ads { id name } }'), places: [] };
  const introspection = introspectionFromSchema(SCHEMA);

  test.each([
    ['SDL', SDL],
    ['the answer to introspection', JSON.stringify({ data: introspection })],
    ['the same without data', JSON.stringify(introspection, null, 2)],
  ])('from %s', (_, text) => {
    const { faults, deprecated } = checkDocuments(readSchema(text), [query]);
    expect([faults.length, deprecated.length]).toEqual([0, 1]);
  });

  test.each(['', 'type {', '{', '{"data":{}}', '{"__schema":{}}', 'type Query { a: Missing }'])(
    'not from %j',
    (text) => {
      expect(() => readSchema(text)).toThrow(SchemaFault);
    },
  );
});
