import fc from 'fast-check';
import { damaged, words } from './json-texts.js';

/** Few, so that fragments, variables and operations find each other; some mean something to JavaScript or to us. */
const names = fc.constantFrom(
  ...words('a b c id value hirer hirerId version name first on __typename'),
  ...words('__proto__ constructor toString query fragment true null'),
);

const scalars = fc.oneof(
  names,
  names.map((name) => `$${name}`),
  fc.constantFrom(...words('1 -0.5e3 "" "text" """block""" "\\u{1F600}" true null ENUM $'), '9'.repeat(60)),
);

type Grammar = Record<'value' | 'arguments' | 'directives' | 'selections' | 'selection' | 'type', string>;

const list = (items: fc.Arbitrary<string>, minLength: number, maxLength: number, separator = ' ') =>
  fc.array(items, { minLength, maxLength }).map((some) => some.join(separator));

const joined = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((texts) => texts.join(''));

const is = fc.constant;

/** The directives that operation files may carry, used rightly and wrongly. */
const ownDirectives = fc.oneof(
  names.map((name) => `@hirer(variable: "${name}")`),
  list(names, 1, 4, '.').map((path) => `@hirer(path: "${path}")`),
  fc.tuple(names, names).map(([query, name]) => `@hirer(query: "${query}", variables: {${name}: "${name}"})`),
  fc.constantFrom('@token(use: PARTNER)', '@token(use: BROWSER)'),
  fc.constantFrom('@attachment', '@role(any: ["recruiter"])', '@skip(if: $a)', '@deprecated'),
);

const grammar = fc.letrec<Grammar>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    scalars,
    list(tie('value'), 0, 3).map((items) => `[${items}]`),
    list(joined(names, is(': '), tie('value')), 0, 3).map((members) => `{${members}}`),
  ),
  arguments: list(joined(names, is(': '), tie('value')), 0, 2).map((given) =>
    given === '' ? '' : `(${given})`,
  ),
  directives: fc.oneof(
    { weight: 5, arbitrary: is('') },
    ownDirectives.map((directive) => ` ${directive}`),
    joined(is(' @'), names, tie('arguments')),
  ),
  selections: list(tie('selection'), 1, 3).map((fields) => ` { ${fields} }`),
  selection: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    joined(names, tie('arguments')),
    joined(names, is(': '), names, tie('arguments'), tie('directives'), tie('selections')),
    joined(names, tie('selections')),
    joined(is('...'), names, tie('directives')),
    joined(fc.constantFrom('...', '... on a'), tie('directives'), tie('selections')),
  ),
  type: fc.oneof(
    { maxDepth: 2 },
    names,
    tie('type').map((inner) => `[${inner}]`),
    tie('type').map((inner) => `${inner}!`),
  ),
}));

const variableDefinitions = list(
  joined(
    is('$'),
    names,
    is(': '),
    grammar.type,
    fc.oneof(is(''), is(' = '), joined(is(' = '), grammar.value)),
    grammar.directives,
  ),
  0,
  3,
).map((definitions) => (definitions === '' ? '' : `(${definitions})`));

const operation = joined(
  fc.constantFrom('query ', 'query ', 'mutation ', 'subscription '),
  names,
  variableDefinitions,
  grammar.directives,
  grammar.directives,
  grammar.selections,
);

const fragment = joined(is('fragment '), names, is(' on '), names, grammar.directives, grammar.selections);

/** Documents as the grammar has them, though few of them would pass a schema. */
export const documentText = list(
  fc.oneof(
    { weight: 3, arbitrary: operation },
    fragment,
    grammar.selections,
    is('type a { b: c }'),
    is('# end\n'),
  ),
  1,
  4,
  '\n',
);

/** One named operation with its fragments, as an operation file holds it. */
export const operationFileText = fc
  .tuple(operation, list(fragment, 0, 2, '\n'))
  .map(([text, fragments]) => `${text}\n${fragments}`);

export const GRAPHQL_PIECES = [
  ...words('{ } ( ) [ ] : ! $ @ ... " """ \\ # , a {a ...a {a} @a "a" 1 - .'),
  ...['\n', ' ', '\ufeff', '\0', 'a: b', 'a(b: 1)', '$a: b', 'query a', 'fragment a on b'],
];

/** Documents, nearly documents, and anything else. */
export const anyDocumentText = fc.oneof(
  { weight: 4, arbitrary: documentText },
  { weight: 2, arbitrary: operationFileText },
  { weight: 3, arbitrary: damaged(documentText, GRAPHQL_PIECES) },
  fc.string({ unit: 'binary' }),
);

export { names as graphqlNames };
