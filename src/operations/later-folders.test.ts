import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '../../test/support/machine.js';
import { loadOperations } from './registered-operations.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const PROFILE = 'positionProfile(id: $id) { positionOrganizations { id { value } } }';
const PATH = '@hirer(path: "positionProfile.positionOrganizations.id.value")';

let folder: string;
beforeEach(() => (folder = newFolder()));

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
