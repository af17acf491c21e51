import { compileOperation } from './compile-operation.js';
import { DocumentFault } from './document-fault.js';

const PROFILE = 'positionProfile(id: $id) { positionOrganizations { id { value } } }';
const PATH = '@hirer(path: "positionProfile.positionOrganizations.id.value")';

function faultOf(text: string): string | undefined {
  try {
    compileOperation(text, 'test');
    return undefined;
  } catch (error) {
    if (error instanceof DocumentFault) return `${error.line}: ${error.message}`;
    throw error;
  }
}

describe('directives of registered operations', () => {
  test.each([
    [
      'marks attachments without a hirer',
      'query A {\n a { url @attachment } }',
      '2: @attachment needs a @hirer that ties the operation to the hirer',
    ],
    [
      'marks an attachment below a root field that nothing ties to the hirer',
      `query A($id: String!) ${PATH} { ${PROFILE}\nb(id: $id) { url @attachment } }`,
      '2: no @hirer ties "b" to the hirer',
    ],
    [
      'marks the operation as an attachment',
      'query A($h: String!)\n@attachment @hirer(variable: "h") { a(h: $h) }',
      '2: @attachment is not allowed here',
    ],
    [
      'marks a fragment as an attachment',
      'query A($h: String!) @hirer(variable: "h") { a(h: $h) { ...F\n@attachment } } fragment F on T { url }',
      '2: @attachment is not allowed here',
    ],
    [
      'marks a field that has fields below as an attachment',
      'query A($h: String!) @hirer(variable: "h") { a(h: $h)\n@attachment { url } }',
      '2: @attachment is for fields without a selection',
    ],
    [
      'marks an attachment twice',
      'query A($h: String!) @hirer(variable: "h") { a(h: $h) { url @attachment\n@attachment } }',
      '2: @attachment is given twice',
    ],
    [
      'gives @attachment an argument',
      'query A($h: String!) @hirer(variable: "h") { a(h: $h) { url @attachment(if: true) } }',
      '1: @attachment has no argument "if"',
    ],
    [
      'marks a field in one place and not in another',
      'query A($h: String!) @hirer(variable: "h") { a(h: $h) { ... on B { url @attachment }\n...F } } fragment F on C { url: name }',
      '2: "url" is selected both with and without @attachment',
    ],
    ['names no roles', 'query A\n@role(any: []) { a }', '2: @role needs any: a list of roles'],
    [
      'names a role outside of a list',
      'query A @role(any: "x") { a }',
      '1: @role needs any: a list of roles',
    ],
    [
      'names a role that none can have',
      'query A @role(any: ["a b"]) { a }',
      '1: @role needs any: a list of roles',
    ],
    ['names roles twice', 'query A @role(any: ["a"])\n@role(any: ["b"]) { a }', '2: @role is given twice'],
    ['names roles on a field', 'query A {\na @role(any: ["a"]) }', '2: @role is not allowed here'],
    ['is kept twice', 'query A @cache(seconds: 1)\n@cache(seconds: 2) { a }', '2: @cache is given twice'],
    ...['-1', '0', '1.5', '"20"'].map((max) => [
      `has a ceiling of ${max}`,
      `query A($n: Int\n@max(value: ${max})) { a(n: $n) }`,
      '2: @max needs value: a whole number from 1',
    ]),
    [
      'has two ceilings for one variable',
      'query A($n: Int @max(value: 1)\n@max(value: 2)) { a(n: $n) }',
      '2: @max is given twice for "n"',
    ],
    [
      'has a ceiling at a path that is none',
      'query A($n: In @max(value: 1, path: "a..b")) { a(n: $n) }',
      '1: @max(path:) must be names joined by dots',
    ],
    [
      'binds a reserved name',
      'query A($h: In) @hirer(variable: "h.__proto__") { a(h: $h) }',
      '1: @hirer(variable:) must be names joined by dots',
    ],
  ])('a text that %s is refused with its line', (_, text, fault) => {
    expect(faultOf(text)).toBe(fault);
  });
});
