import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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

  test('all faults are reported together, and a name belongs to one operation', () => {
    write('a.graphql', 'query A { a }');
    write('b.graphql', 'query A { b }');
    write('c.graphql', 'query {');
    write('d.graphql', 'fragment F on Q { a }');
    expect(faultsOf()).toEqual([
      expect.stringMatching(/^c\.graphql:1: /),
      'd.graphql:1: there is no operation',
      expect.stringMatching(/^b\.graphql:1: the name "A" belongs to .*a\.graphql already$/),
    ]);
  });

  test('a guard must prove ownership without a further query', () => {
    write('b.graphql', 'query B($id: String!) { version }');
    write(
      'a.graphql',
      'mutation A($id: String!)\n@hirer(query: "B", variables: {id: "id"}) @token(use: PARTNER) { a(id: $id) }',
    );
    expect(faultsOf()).toEqual(['a.graphql:2: "B" has no @hirer(path:) or @hirer(anyPath:)']);
    rmSync(join(folder, 'b.graphql'));
    expect(faultsOf()).toEqual(['a.graphql:2: there is no registered query "B"']);
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
