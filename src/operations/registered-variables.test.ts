import { refusalOf } from '../../test/support/parts.js';
import { compileOperation } from './compile/compile-operation.js';
import { parseExact } from '../json/parse-json.js';
import { RegisteredOperation } from './registered-operation.js';

const HIRER = 'own';

/** What is sent upstream for variables that are given as JSON. */
function bytesFor(text: string, variables: string): string {
  const operation = new RegisteredOperation(compileOperation(text, 'test'), noGuard);
  return operation.prepare(parseExact(variables) as Record<string, unknown>, HIRER).bytes.toString();
}

const sentFor = (text: string, variables: string) =>
  JSON.parse(bytesFor(text, variables)) as { query: string; variables: Record<string, unknown> };

function noGuard(): never {
  throw new Error('no guard');
}

describe('bound variables', () => {
  const text = `mutation A($input: In!, $hirerId: String) @hirer(variable: "input.hirer.id") @hirer(variable: "hirerId")
    @token(use: PARTNER) { a(input: $input) b(hirerId: $hirerId) }`;

  test.each([
    '{}',
    '{"input":{"hirer":{}}}',
    '{"input":{"hirer":{"id":null}},"hirerId":null}',
    '{"input":{"hirer":{"id":"own"}},"hirerId":"own"}',
    '{"hirerId":["own","own"]}',
    '{"hirerId":[]}',
  ])('%s: the hirer is set', (variables) => {
    expect(sentFor(text, variables).variables).toEqual({ input: { hirer: { id: 'own' } }, hirerId: 'own' });
  });

  test.each([
    '{"hirerId":"foreign"}',
    '{"hirerId":["own","foreign"]}',
    '{"hirerId":[["own"]]}',
    '{"hirerId":{"0":"own"}}',
    '{"hirerId":1.50}',
    '{"hirerId":""}',
    '{"hirerId":false}',
    '{"hirerId":"OWN"}',
    '{"input":{"hirer":{"id":"foreign"}}}',
  ])('%s names another hirer', (variables) => {
    expect(refusalOf(() => sentFor(text, variables)).code).toBe('hirer_forbidden');
  });

  test.each([
    '{"input":1.50}',
    '{"input":[]}',
    '{"input":{"hirer":1.50}}',
    '{"input":"x"}',
    '{"input":null}',
  ])('%s has no place for it', (variables) => {
    expect(refusalOf(() => sentFor(text, variables)).code).toBe('invalid_request');
  });

  test('of members given twice the one that is judged is sent', () => {
    expect(refusalOf(() => sentFor(text, '{"hirerId":"own","hirerId":"foreign"}')).code).toBe(
      'hirer_forbidden',
    );
    expect(sentFor(text, '{"hirerId":"foreign","hirerId":"own"}').variables['hirerId']).toBe('own');
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
    'the variable %s, called like a member of every object, is unknown',
    (name) => {
      expect(refusalOf(() => sentFor(text, `{"${name}":{"hirerId":"foreign"}}`)).code).toBe(
        'invalid_request',
      );
    },
  );
});

describe('a member called __proto__', () => {
  const text = `mutation A($input: In!, $list: [In], $other: Json) @hirer(variable: "input.hirer.id") @token(use: PARTNER) {
    a(input: $input, list: $list, other: $other) }`;
  const input = '"input":{}';

  test.each([
    ['input', '{"input":{"__proto__":{"hirer":{"id":"own"}}}}'],
    ['input', '{"input":{"__proto__":null}}'],
    ['input', '{"input":{"\\u005f_proto__":{"hirer":{"id":"foreign"}}}}'],
    ['input', '{"input":{"\\u005f\\u005fproto\\u005F_":1.50}}'],
    ['input', '{"input":{"hirer":{"id":"own","__proto__":{"id":"foreign"}}}}'],
    ['input', '{"input":{"__proto__":{},"__proto__":{"a":1}}}'],
    ['list', `{${input},"list":[{"a":1},{"a":[[{"__proto__":{"a":1}}]]}]}`],
    ['list', `{"list":{"__proto__":{"a":1}},${input}}`],
    ['other', `{${input},"other":{"a":{"b":{"c":[1,{"d":{"__proto__":"x"}}]}}}}`],
    ['__proto__', `{${input},"__proto__":{"other":1}}`],
    ['__proto__', `{"\\u005f_proto__":{"other":1},${input}}`],
  ])('in the variable %s is refused by its name: %s', (name, variables) => {
    const { code, detail } = refusalOf(() => sentFor(text, variables));
    expect([code, detail]).toEqual(['invalid_request', expect.stringContaining(`"${name}"`)]);
  });

  test('is a text like others as a value', () => {
    const variables = { input: { hirer: { id: 'own' }, a: '__proto__' } };
    expect(sentFor(text, JSON.stringify(variables)).variables).toEqual(variables);
  });
});

describe('types of variables', () => {
  const text = `query A($id: ID!, $n: Int, $ns: [Int!], $grid: [[Int]], $f: Float, $s: String, $b: Boolean, $d: Int! = 1,
    $any: Json!, $input: In, $state: State, $ids: [ID]) {
    a(id: $id, n: $n, ns: $ns, grid: $grid, f: $f, s: $s, b: $b, d: $d, any: $any, input: $input, state: $state, ids: $ids) }`;
  const good = { id: '"x"', any: '1' };
  const json = (members: Record<string, string>): string =>
    `{${Object.entries({ ...good, ...members })
      .filter(([, value]) => value !== '')
      .map(([name, value]) => `"${name}":${value}`)
      .join()}}`;

  /** Values as JSON, by the variable that is given one; '' for none. */
  const REFUSED = {
    id: ['', 'null', 'true', '1.5', '{}', '["x"]'],
    any: ['', 'null'],
    d: ['null', '"1"'],
    n: [
      '"5"',
      '1.5',
      '2147483648',
      '-2147483649',
      '9007199254740993',
      '1e400',
      'true',
      '{}',
      '[1]',
      '{"rawJSON":"1"}',
    ],
    ns: ['[1,null]', '[1,"2"]', '"2"', '[[1]]'],
    grid: ['[[1,"2"]]', '[[[1]]]'],
    f: ['"1"', '1e400'],
    s: ['1', '1.50', '["a"]', '{}'],
    b: ['0', '"true"'],
    ids: ['["x",1.5]'],
  };
  const SENT = {
    id: ['7', '9007199254740993'],
    n: ['null', '-2147483648', '2147483647'],
    ns: ['null', '3', '[]'],
    grid: ['[1,[2,null],null]', '1'],
    f: ['1', '-1.50', '9007199254740993'],
    s: ['null', '""'],
    b: ['false'],
    d: ['2'],
    any: ['[{"a":null}]'],
    input: ['[1]', 'null', '{"n":9007199254740993,"x":1.50}'],
    state: ['"Open"'],
    ids: ['"x"', '[1,"x",null]'],
  };
  const casesOf = (values: Record<string, readonly string[]>) =>
    Object.entries(values).flatMap(([name, all]) => all.map((value) => [name, value] as const));

  test.each(casesOf(REFUSED))('%s: %s is refused by the name of the variable', (name, value) => {
    const { code, detail } = refusalOf(() => sentFor(text, json({ [name]: value })));
    expect([code, detail]).toEqual(['invalid_request', expect.stringContaining(`The variable "${name}" `)]);
  });

  test.each(casesOf(SENT))('%s: %s is sent as it came', (name, value) => {
    expect(bytesFor(text, json({ [name]: value }))).toContain(`"${name}":${value}`);
  });
});
