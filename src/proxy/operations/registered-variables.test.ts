import { BffError } from '../../errors/bff-error.js';
import { compileOperation } from './compile-operation.js';
import { parseExact } from '../../http/exact-json.js';
import { RegisteredOperation } from './registered-operation.js';

const HIRER = 'own';

/** What goes upstream for variables that are given as JSON. */
function sentFor(text: string, variables: string): { query: string; variables: Record<string, unknown> } {
  const { bytes } = new RegisteredOperation(compileOperation(text, 'test'), noGuard).prepare(
    parseExact(variables) as Record<string, unknown>,
    HIRER,
  );
  return JSON.parse(bytes.toString()) as { query: string; variables: Record<string, unknown> };
}

function refusalOf(work: () => unknown): BffError {
  try {
    work();
  } catch (error) {
    if (error instanceof BffError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

function noGuard(): never {
  throw new Error('no guard');
}

describe('ceilings', () => {
  const text = `query A($first: Int, $sizes: [Int] @max(value: 20), $page: PageInput @max(value: 20, path: "by.first")
    @max(value: 30, path: "last"), $limit: Int @max(value: 5)) { a(first: $first, sizes: $sizes, page: $page, limit: $limit) }`;

  test.each([
    '{}',
    '{"first":1}',
    '{"first":100}',
    '{"limit":5}',
    '{"sizes":[1,20]}',
    '{"sizes":7}',
    '{"sizes":[]}',
    '{"page":{}}',
    '{"page":{"by":{"first":20},"last":30,"other":99}}',
    '{"page":{"by":[{"first":1},{"first":20}]}}',
    '{"page":null}',
  ])('%s passes', (variables) => {
    expect(sentFor(text, variables).variables).toEqual(JSON.parse(variables));
  });

  test.each([
    '{"first":101}',
    '{"first":-1}',
    '{"first":0}',
    '{"first":-0}',
    '{"first":0.5}',
    '{"first":5.0}',
    '{"first":1e1}',
    '{"first":99999999999999999999}',
    '{"first":1e400}',
    '{"first":"5"}',
    '{"first":true}',
    '{"first":null}',
    '{"first":{}}',
    '{"first":{"rawJSON":"1"}}',
    '{"first":[101]}',
    '{"first":[1]}',
    '{"first":[]}',
    '{"limit":6}',
    '{"limit":-5}',
    '{"sizes":[1,21]}',
    '{"sizes":[1,[-1]]}',
    '{"sizes":[1,null]}',
    '{"page":{"by":{"first":21}}}',
    '{"page":{"by":{"first":-1},"last":1}}',
    '{"page":{"by":[{"first":1},{"first":1.5}]}}',
    '{"page":{"by":{"first":20},"last":31}}',
    '{"page":{"last":null}}',
  ])('%s is refused, and says why', (variables) => {
    const { code, detail } = refusalOf(() => sentFor(text, variables));
    expect(code).toBe('invalid_request');
    expect(detail).toMatch(/^The variable "[\w.]+" must be a whole number from 1 to \d+, or left out\.$/);
  });
});

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

  test('a member called __proto__ binds nothing', () => {
    const { variables } = sentFor(text, '{"input":{"__proto__":{"hirer":{"id":"own"}}}}');
    expect(Object.keys(variables['input'] as object)).toEqual(['__proto__', 'hirer']);
  });
});
