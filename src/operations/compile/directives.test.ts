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
  'query A {\n  a(\n}': '3: Syntax Error: Expected Name, found "}".',
  'query A { a }\nquery B { b }': '2: there is more than one operation',
  '\n{ a }': '2: the operation has no name',
  'subscription A { a }': '1: subscriptions cannot be registered',
  'query A { a }\ntype T { a: Int }': '2: The "T" definition is not executable.',
  'query A {\n ...F }': '2: Unknown fragment "F".',
  'query A { ...F }\nfragment F on Q { ...F }': '2: Cannot spread fragment "F" within itself.',
  'query A($a: Int) {\n b(a: $a) { c(d: $d) } }': '2: Variable "$d" is not defined by operation "A".',
  'query A(\n$a: Int, $a: String) { b(a: $a) }': '2: There can be only one variable named "$a".',
  'query A { ...F }\nfragment F on Q { a }\nfragment F on Q { b }':
    '2: There can be only one fragment named "F".',
  '# x\nquery A @token(use: PARTNER) { a }':
    '2: @token(use: PARTNER) needs a @hirer that ties the operation to the hirer',
  'query A\n@token(use: ADMIN) { a }': '2: Value "ADMIN" does not exist in "_TokenUse" enum.',
  'query A @hirer(variable: "h") { a }': '1: there is no variable "h"',
  [`query A($id: String!)\n@hirer(path: "positionProfile.hirer.id") { ${PROFILE} }`]:
    '2: the operation does not select "positionProfile.hirer.id"',
  [`query A($id: String!) @hirer(path: "positionProfile.positionOrganizations") { ${PROFILE} }`]:
    '1: the operation does not select "positionProfile.positionOrganizations"',
  'query A($h: String!) @hirer(variable: "h", path: "a") { a }':
    '1: @hirer needs exactly one of variable, path, anyPath, query and none',
  [`query A($id: String!) ${PATH} @token(use: PARTNER) {\n${PROFILE}\nevent(id: $id) { id } }`]:
    '3: no @hirer ties "event" to the hirer',
  [`query A($id: String!) ${PATH} @token(use: PARTNER) { ${PROFILE} ...F }\nfragment F on Query { x: event(id: $id) { id } }`]:
    '2: no @hirer ties "x" to the hirer',
  [`mutation A($id: String!) ${PATH} @token(use: PARTNER) { ${PROFILE} }`]:
    '1: no @hirer ties "positionProfile" to the hirer',
  'query A { a\n@hirer(variable: "h") }': '2: Directive "@hirer" may not be used on FIELD.',
  'query A($h: String!) @hirer(variable: "h") {\n a(h: $h) {\n url @attachement } }':
    '3: Unknown directive "@attachement".',
  'query A\n@rol(any: ["owner"]) { a }': '2: Unknown directive "@rol".',
  'query A(\n$n: Int @max(value: 5)) { a(n: $n) }': '2: Unknown directive "@max".',
  'query A { ...F }\nfragment F on Q { a @include(if: true) b @skip(if: true)\n ... @defer { c } }':
    '3: Unknown directive "@defer".',
  'query A { ...F }\nfragment F on Q @Hirer { a }': '2: Unknown directive "@Hirer".',
  'query A @token(use: BROWSER, x: 1) { a }': '1: Unknown argument "x" on directive "@token".',
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
