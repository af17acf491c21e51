import { createHash } from 'node:crypto';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '../../test/support/machine.js';
import { ConfigError } from '../config/load-config.js';
import { loadOperations } from './registered-operations.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const PROFILE = 'positionProfile(id: $id) { positionOrganizations { id { value } } }';
const PATH = '@hirer(path: "positionProfile.positionOrganizations.id.value")';

let folder: string;
beforeEach(() => (folder = newFolder()));

const write = (file: string, content: string): void => writeFileSync(join(folder, file), content);

function faultsOf(): readonly string[] {
  try {
    loadOperations([folder]);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map((one) => one.replace(`${folder}/`, ''));
    throw error;
  }
}

function operationA() {
  const operation = loadOperations([folder]).find('A')!;
  return {
    compiled: operation.compiled,
    prepare: (variables: Record<string, unknown>) => operation.prepare(variables, 'h').bytes,
  };
}

describe('loadOperations', () => {
  test('a file is known by its name and by the hash of its bytes', () => {
    const text = `# a comment\nquery One { version }\n`;
    write('one.graphql', text);
    const operations = loadOperations([folder]);
    expect(operations.find('One')?.compiled.name).toBe('One');
    expect(operations.find(`sha256:${sha256(text)}`)).toBe(operations.find('One'));
    expect(operations.find('one')).toBeUndefined();
  });

  test('a folder that Kubernetes mounts from a ConfigMap holds each operation once', () => {
    mkdirSync(join(folder, '..2026_11_26'));
    write('..2026_11_26/one.graphql', 'query One { version }');
    symlinkSync('..2026_11_26', join(folder, '..data'));
    symlinkSync('..data/one.graphql', join(folder, 'one.graphql'));
    mkdirSync(join(folder, 'below'));
    write('below/two.graphql', 'query Two { version }');
    write('below/._two.graphql', '\0');
    const operations = loadOperations([folder]).all();
    expect([...operations].map(({ compiled }) => compiled.source)).toEqual([
      join(folder, 'below/two.graphql'),
      join(folder, 'one.graphql'),
    ]);
  });

  /** Texts of a file, and what is wrong with them. */
  const FAULTS: Readonly<Record<string, string>> = {
    'query A {\n  a(\n}': 'a.graphql:3: Syntax Error: Expected Name, found "}".',
    'fragment F on Q { a }': 'a.graphql:1: there is no operation',
    'query A { a }\nquery B { b }': 'a.graphql:2: there is more than one operation',
    '\n{ a }': 'a.graphql:2: the operation has no name',
    'subscription A { a }': 'a.graphql:1: subscriptions cannot be registered',
    'query A { a }\ntype T { a: Int }': 'a.graphql:2: The "T" definition is not executable.',
    'query A {\n ...F }': 'a.graphql:2: Unknown fragment "F".',
    'query A { ...F }\nfragment F on Q { ...F }': 'a.graphql:2: Cannot spread fragment "F" within itself.',
    'query A($a: Int) {\n b(a: $a) { c(d: $d) } }':
      'a.graphql:2: Variable "$d" is not defined by operation "A".',
    'query A(\n$a: Int, $a: String) { b(a: $a) }': 'a.graphql:2: There can be only one variable named "$a".',
    'query A { ...F }\nfragment F on Q { a }\nfragment F on Q { b }':
      'a.graphql:2: There can be only one fragment named "F".',
    '# x\nquery A @token(use: PARTNER) { a }':
      'a.graphql:2: @token(use: PARTNER) needs a @hirer that ties the operation to the hirer',
    'query A\n@token(use: ADMIN) { a }': 'a.graphql:2: Value "ADMIN" does not exist in "_TokenUse" enum.',
    'query A @hirer(variable: "h") { a }': 'a.graphql:1: there is no variable "h"',
    [`query A($id: String!)\n@hirer(path: "positionProfile.hirer.id") { ${PROFILE} }`]:
      'a.graphql:2: the operation does not select "positionProfile.hirer.id"',
    [`query A($id: String!) @hirer(path: "positionProfile.positionOrganizations") { ${PROFILE} }`]:
      'a.graphql:1: the operation does not select "positionProfile.positionOrganizations"',
    'query A($h: String!) @hirer(variable: "h", path: "a") { a }':
      'a.graphql:1: @hirer needs exactly one of variable, path, anyPath, query and none',
    [`query A($id: String!) ${PATH} @token(use: PARTNER) {\n${PROFILE}\nevent(id: $id) { id } }`]:
      'a.graphql:3: no @hirer ties "event" to the hirer',
    [`query A($id: String!) ${PATH} @token(use: PARTNER) { ${PROFILE} ...F }\nfragment F on Query { x: event(id: $id) { id } }`]:
      'a.graphql:2: no @hirer ties "x" to the hirer',
    [`mutation A($id: String!) ${PATH} @token(use: PARTNER) { ${PROFILE} }`]:
      'a.graphql:1: no @hirer ties "positionProfile" to the hirer',
    'mutation A($id: String!)\n@hirer(query: "B", variables: {id: "id"}) @token(use: PARTNER) { a(id: $id) }':
      'a.graphql:2: there is no registered query "B"',
    'query A { a\n@hirer(variable: "h") }': 'a.graphql:2: Directive "@hirer" may not be used on FIELD.',
    'query A($h: String!) @hirer(variable: "h") {\n a(h: $h) {\n url @attachement } }':
      'a.graphql:3: Unknown directive "@attachement".',
    'query A\n@rol(any: ["owner"]) { a }': 'a.graphql:2: Unknown directive "@rol".',
    'query A(\n$n: Int @max(value: 5)) { a(n: $n) }': 'a.graphql:2: Unknown directive "@max".',
    'query A { ...F }\nfragment F on Q { a @include(if: true) b @skip(if: true)\n ... @defer { c } }':
      'a.graphql:3: Unknown directive "@defer".',
    'query A { ...F }\nfragment F on Q @Hirer { a }': 'a.graphql:2: Unknown directive "@Hirer".',
    'query A @token(use: BROWSER, x: 1) { a }': 'a.graphql:1: Unknown argument "x" on directive "@token".',
  };

  test.each(Object.entries(FAULTS))(
    '%s stops the start, with the name of the file and the line: %s',
    (text, fault) => {
      write('a.graphql', text);
      expect(faultsOf()).toEqual([fault]);
    },
  );

  test('all faults are reported together, and a name belongs to one operation', () => {
    write('a.graphql', 'query A { a }');
    write('b.graphql', 'query A { b }');
    write('c.graphql', 'query {');
    expect(faultsOf()).toEqual([
      expect.stringMatching(/^c\.graphql:1: /),
      expect.stringMatching(/^b\.graphql:1: the name "A" belongs to .*a\.graphql already$/),
    ]);
  });

  test('a guard must prove ownership without a further query', () => {
    write('b.graphql', 'query B($id: String!) { version }');
    write(
      'a.graphql',
      'mutation A($id: String!) @hirer(query: "B", variables: {id: "id"}) @token(use: PARTNER) { a(id: $id) }',
    );
    expect(faultsOf()).toEqual(['a.graphql:1: "B" has no @hirer(path:) or @hirer(anyPath:)']);
  });

  test('what is ours is not sent', () => {
    write(
      'a.graphql',
      `query A($h: String!, $first: Int) @hirer(variable: "h") @token(use: PARTNER) @role(any: ["a", "b"])
       { a(h: $h, first: $first) { url @attachment @include(if: true) ...F } }
       fragment F on T { other: url @attachment }`,
    );
    const { compiled, prepare } = operationA();
    const { query } = JSON.parse(prepare({ first: 1 }).toString()) as { query: string };
    expect(query.match(/@\w+/g)).toEqual(['@include']);
    expect(compiled.roles).toEqual(['a', 'b']);
  });

  test('what was left out is left out of the text too', () => {
    write('a.graphql', 'query A($a: String, $b: Int = 2, $f: In) { x(a: $a, b: $b, f: {c: $a}) y(f: $f) }');
    const { bytes } = loadOperations([folder]).find('A')!.prepare({ f: 1 }, 'h');
    const { query } = JSON.parse(bytes.toString()) as { query: string };
    expect(query.replaceAll(/\s+/g, ' ')).toBe('query A($b: Int = 2, $f: In) { x(b: $b, f: {}) y(f: $f) }');
  });
});

describe('several folders', () => {
  test('of two operations of one name that of the later folder counts, under every identifier', () => {
    const [first, second] = ['first', 'second'].map((name) => join(folder, name)) as [string, string];
    for (const path of [first, second]) mkdirSync(path);
    const texts = { first: 'query A { first }', second: 'query A { second }' };
    writeFileSync(join(first, 'm.graphql'), texts.first);
    writeFileSync(join(first, 'b.graphql'), 'query B { b }');
    writeFileSync(join(second, 'a.graphql'), texts.second);
    for (const [folders, kept, gone] of [
      [[first, second], 'second', 'first'],
      [[second, first], 'first', 'second'],
    ] as const) {
      const operations = loadOperations(folders);
      const { compiled } = operations.find('A')!;
      expect(compiled.rootKeys).toEqual([kept]);
      expect(operations.find(`sha256:${sha256(texts[kept])}`)).toBe(operations.find('A'));
      expect(operations.find(`sha256:${sha256(texts[gone])}`)).toBeUndefined();
      expect(operations.find('B')?.compiled.name).toBe('B');
      const instead = gone === 'first' ? join(first, 'm.graphql') : join(second, 'a.graphql');
      expect(operations.replaced).toEqual([
        `the registered operation A of ${compiled.source} replaces that of ${instead}`,
      ]);
    }
  });

  test('an operation of a later folder serves as the guard of an earlier one', () => {
    const later = join(folder, 'later');
    const earlier = join(folder, 'earlier');
    for (const path of [later, earlier]) mkdirSync(path);
    writeFileSync(
      join(earlier, 'a.graphql'),
      'mutation A($id: String!) @hirer(query: "B", variables: {id: "id"}) @token(use: PARTNER) { a(id: $id) }',
    );
    writeFileSync(
      join(earlier, 'b.graphql'),
      `query B($id: String!) ${PATH} @token(use: PARTNER) { ${PROFILE} }`,
    );
    writeFileSync(join(later, 'b.graphql'), 'query B($id: String!) { version }');
    expect(() => loadOperations([earlier, later])).toThrow('"B" has no @hirer(path:) or @hirer(anyPath:)');
    expect(loadOperations([later, earlier]).find('B')!.compiled.token).toBe('partner');
  });
});
