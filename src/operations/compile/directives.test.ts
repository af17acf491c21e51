import { GraphQLError } from 'graphql';
import { compileOperation } from './compile-operation.js';

const PROFILE = 'positionProfile(id: $id) { positionOrganizations { id { value } } }';
const PATH = '@hirer(path: "positionProfile.positionOrganizations.id.value")';

function faultOf(text: string): string | undefined {
  try {
    compileOperation(text, 'test');
    return undefined;
  } catch (error) {
    if (error instanceof GraphQLError) return `${error.locations?.[0]?.line}: ${error.message}`;
    throw error;
  }
}

/** Texts, and their fault with its line. */
const FAULTS: Readonly<Record<string, string>> = {
  'query A\n@hirer(anyPath: []) { a { b } }': '2: @hirer(anyPath:) is a list of paths',
  'query A @hirer(anyPath: ["a.b", "c.d"]) { a { b } c { d } }':
    '1: the paths of @hirer(anyPath:) must begin with the same field',
  'query A @hirer(anyPath: ["a.edges.node.b"]) { a { edges { node { b } } } }':
    '1: @hirer(anyPath:) proves one object, and "a.edges" lists several: use @hirer(path:), which proves each',
  'query A @hirer(anyPath: ["a.e.node.b"]) { a { ...F } } fragment F on C { e: edges { node { b } } }':
    '1: @hirer(anyPath:) proves one object, and "a.e" lists several: use @hirer(path:), which proves each',
  'query A @hirer(anyPath: ["a.b", "a.c"]) { a { b } }': '1: the operation does not select "a.c"',
  [`query A($id: String!) @hirer(path: "a.b", optional: true) { a(id: $id) { b } }`]:
    '1: @hirer(optional:) is for a query',
  'mutation A($i: String) @hirer(query: "B", variables: { a: "i", b: "i" }, optional: true) { a(i: $i) }':
    '1: @hirer(optional:) is for a single variable',
  'mutation A($i: String) @hirer(query: "B", variables: {}, optional: true) { a(i: $i) }':
    '1: @hirer(optional:) is for a single variable',
  'mutation A($i: String)\n@hirer(query: "B", variables: { a: "i" }, optional: true) @token(use: PARTNER) { a(i: $i) }':
    '2: no @hirer ties "a" to the hirer',
  'query A {\n a { url @attachment } }': '2: @attachment needs a @hirer that ties the operation to the hirer',
  [`query A($id: String!) ${PATH} { ${PROFILE}\nb(id: $id) { url @attachment } }`]:
    '2: no @hirer ties "b" to the hirer',
  'query A($h: String!)\n@attachment @hirer(variable: "h") { a(h: $h) }':
    '2: Directive "@attachment" may not be used on QUERY.',
  'query A($h: String!) @hirer(variable: "h") { a(h: $h) { ...F\n@attachment } } fragment F on T { url }':
    '2: Directive "@attachment" may not be used on FRAGMENT_SPREAD.',
  'query A($h: String!) @hirer(variable: "h") { a(h: $h)\n@attachment { url } }':
    '2: @attachment is for fields without a selection',
  'query A($h: String!) @hirer(variable: "h") { a(h: $h) { url @attachment\n@attachment } }':
    '1: The directive "@attachment" can only be used once at this location.',
  'query A($h: String!) @hirer(variable: "h") { a(h: $h) { url @attachment(if: true) } }':
    '1: Unknown argument "if" on directive "@attachment".',
  'query A($h: String!) @hirer(variable: "h") { a(h: $h) { ... on B { url @attachment }\n...F } } fragment F on C { url: name }':
    '2: "url" is selected both with and without @attachment',
  'query A @role(any: ["machine"])\n@hirer(none: true) { a }':
    '2: @hirer(none: true) needs @token(use: PARTNER)',
  'query A($h: String!) @role(any: ["machine"]) @token(use: PARTNER) @hirer(variable: "h")\n@hirer(none: true) { a(h: $h) }':
    '2: @hirer(none:) goes with no other @hirer',
  'query A @role(any: ["machine"]) @token(use: PARTNER)\n@hirer(none: false) { a }':
    '2: @hirer(none:) can only be true',
  'mutation A($h: String!) @hirer(variable: "h")\n@event(type: "T") { a(h: $h) }':
    '2: Directive "@event" may not be used on MUTATION.',
  'query A\n@role(any: []) { a }': '2: @role needs any: a list of roles',
  'query A @role(any: ["a b"]) { a }': '1: Expected value of type "_Role!", found "a b"; it must be a role',
  'query A @role(any: ["a"])\n@role(any: ["b"]) { a }':
    '1: The directive "@role" can only be used once at this location.',
  'query A {\na @role(any: ["a"]) }': '2: Directive "@role" may not be used on FIELD.',
  'query A($h: In) @hirer(variable: "h.__proto__") { a(h: $h) }':
    '1: Expected value of type "_Place", found "h.__proto__"; it must be names joined by dots',
  'query A($p: String) @hirer(anyPath: ["a.b"], optional: $p) { a(p: $p) { b } }':
    '1: @hirer(optional:) must be a value',
  'query A @hirer(path: null) { a }': '1: @hirer(path:) must be a value',
};

/** The same for what a query with `$id` says of an event. */
const EVENT_FAULTS: Readonly<Record<string, string>> = {
  '@event(variables: { id: "m" })':
    'Directive "@event" argument "type" of type "_Name!" is required, but it was not provided.',
  '@event(type: "T", variables: { id: 1.5 })':
    'Expected value of type "_Members", found {id: 1.5}; it must be an object of the names of members of the event',
  '@event(type: "T", variables: { id: "__proto__" })':
    'Expected value of type "_Members", found {id: "__proto__"}; it must be an object of the names of members of the event',
  '@event(type: "T", variables: { x: "m" })': 'there is no variable "x"',
  '@role(any: ["machine"]) @token(use: PARTNER) @hirer(none: true) @event(type: "T")':
    '@event needs the hirer of the event: @hirer(none: true) has none',
};

const ALL = [
  ...Object.entries(FAULTS),
  ...Object.entries(EVENT_FAULTS).map(([directives, fault]) => [
    `query A($id: String!)\n${directives} { a(id: $id) }`,
    `2: ${fault}`,
  ]),
  ...['', '@role(any: ["recruiter"])', '@role(any: ["machine", "recruiter"])'].map((role) => [
    `query A ${role} @token(use: PARTNER)\n@hirer(none: true) { a }`,
    '2: @hirer(none: true) needs @role(any: ["machine"]), and no other role',
  ]),
];

test.each(ALL)('%s is refused with its line: %s', (text, fault) => {
  expect(faultOf(text)).toBe(fault);
});
