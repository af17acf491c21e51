import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '../../test/support/machine.js';
import { RoleScopes } from '../hirer-access/role-scopes.js';
import { openLog } from '../telemetry/log.js';
import { openOperations } from './registered-operations.js';

const home = process.cwd();
afterEach(() => process.chdir(home));

let folder: string;
let lines: string[];
beforeEach(() => {
  folder = newFolder();
  lines = [];
});

function open(
  OPERATIONS_DIR: readonly string[],
  LOG_LEVEL: 'warn' | 'info' = 'warn',
  ROLE_SCOPES?: ReadonlyMap<string, readonly string[]>,
) {
  const log = openLog({ LOG_LEVEL }, { write: (line: string) => void lines.push(line) });
  const roleScopes = new RoleScopes({ ALLOWED_SCOPES: ['query:a'], ROLE_SCOPES });
  return openOperations({ OPERATIONS_DIR }, roleScopes, log);
}

describe('openOperations', () => {
  test('finds the operations of the package whatever the working directory', () => {
    process.chdir(folder);
    expect(open(['shipped']).find('PositionOpenings')).toBeDefined();
    expect(lines).toEqual([]);
  });

  test('reads a folder that was set from the working directory, and not those of the package unless the list says shipped', () => {
    writeFileSync(join(folder, 'a.graphql'), 'query A { version }');
    process.chdir(folder);
    const operations = open(['.']);
    expect([...operations.all()].map(({ compiled }) => compiled.name)).toEqual(['A']);
    for (const list of [
      ['shipped', '.'],
      ['.', 'shipped'],
    ]) {
      expect(open(list).all().size).toBe(open(['shipped']).all().size + 1);
    }
  });

  test('refuses a folder that was set and holds none, beside those of the package too', () => {
    writeFileSync(join(folder, 'README.md'), 'Operations go here.');
    expect(() => open([folder])).toThrow(/- OPERATIONS_DIR folder 1 holds no operation/);
    expect(() => open(['shipped', folder])).toThrow(/- OPERATIONS_DIR folder 2 holds no operation/);
  });

  test('one operation of the package is replaced by one file, and the log says so', () => {
    writeFileSync(join(folder, 'a.graphql'), 'query Currencies { mine }');
    const [shipped, both] = [open(['shipped']), open(['shipped', folder], 'info')];
    expect(both.find('Currencies')!.compiled.rootKeys).toEqual(['mine']);
    expect(both.all().size).toBe(shipped.all().size);
    const line = lines.find((one) => one.includes('replaces'))!;
    const sentence = (JSON.parse(line) as { msg: string }).msg;
    expect(sentence).toContain(`Currencies of ${join(folder, 'a.graphql')} replaces that of `);
    expect(sentence).toMatch(/operations\/currencies\.graphql$/);
    lines = [];
    expect(open([folder, 'shipped'], 'info').find('Currencies')!.compiled.rootKeys).toEqual(['currencies']);
    expect(lines.join()).toContain('replaces');
  });

  test('names a file that cannot be read', () => {
    mkdirSync(join(folder, 'a.graphql'));
    expect(() => open([folder])).toThrow(`- ${folder}/a.graphql: cannot be read (EISDIR)`);
  });

  test('refuses an operation that goes with events and is not open to machines, and two for one type', () => {
    const write = (name: string, role: string): void =>
      writeFileSync(
        join(folder, `${name}.graphql`),
        `query ${name}($h: String!) ${role} @hirer(variable: "h") @event(type: "T") { a(h: $h) }`,
      );
    const load = () => open([folder], 'warn', new Map([['recruiter', ['query:a']]]));
    write('One', '');
    expect(load).toThrow(/One\.graphql:1: One has @event and is not open/);
    write('One', '@role(any: ["machine"])');
    expect(load().all().size).toBe(1);
    write('Two', '@role(any: ["machine"])');
    expect(load).toThrow(/has @event\(type: "T"\) already/);
    rmSync(join(folder, 'Two.graphql'));
    write('One', '@role(any: ["machine"]) @event(type: "T")');
    expect(load).toThrow(/has @event\(type: "T"\) already/);
    write('One', '@role(any: ["recruiter"])');
    expect(load).toThrow(/is not open to machines/);
  });
});
