import ts from 'typescript';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const BASE = ['errors', 'concurrency', 'config', 'telemetry'];
const FEATURES = [...BASE, 'storage', 'http', 'audit', 'auth'];

/** The layers: a module imports only those of its row. `*` is the composition root at the top of src. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  errors: [],
  concurrency: ['errors'],
  config: ['errors', 'concurrency'],
  telemetry: ['errors', 'concurrency', 'config'],
  storage: BASE,
  http: BASE,
  upstream: [...BASE, 'http'],
  audit: [...BASE, 'storage', 'http'],
  auth: [...BASE, 'http'],
  'hirer-access': FEATURES,
  token: [...FEATURES, 'upstream', 'hirer-access'],
  proxy: [...FEATURES, 'upstream', 'hirer-access', 'token'],
  webhooks: [...FEATURES, 'upstream', 'hirer-access', 'token'],
  ops: [...FEATURES, 'upstream', 'hirer-access', 'token', 'proxy', 'webhooks'],
};

/** Packages of their own, which the service meets over HTTP only. */
const WORKSPACES = ['playground'];
/** Where the service loads the playground, and reads its types. */
const PLAYGROUND_MODE = ['src/playground-environment.ts', 'src/playground-introduction.ts'];

/** What Nest builds, and so knows it. */
const NEST_CLASS = /^@(Injectable|Module|Controller|Catch)\(/m;
const NEST_ELSEWHERE = ['src/service.ts', 'src/config/default.ts'];

const sources = listSources('src');
const allSources = [...sources, ...WORKSPACES.flatMap(listSources)];

describe('architecture', () => {
  test('every folder of src is a module with a row', () => {
    const folders = readdirSync('src').filter((name) => statSync(join('src', name)).isDirectory());
    expect(folders.filter((name) => !(name in MAY_IMPORT))).toEqual([]);
  });

  test('CONTRIBUTING describes every layer, from the lowest to the highest', () => {
    const section = readFileSync('CONTRIBUTING.md', 'utf8').split('## How the code is organized')[1]!;
    const rows = [...section.matchAll(/^\| (`[^|]+`) +\|/gm)].map(([, names]) => names!);
    const described = rows.flatMap((names) => [...names.matchAll(/`([\w-]+)`/g)].map(([, name]) => name!));
    expect(described.filter((name) => name in MAY_IMPORT)).toEqual(Object.keys(MAY_IMPORT));
  });

  test('a module imports only the modules of its row, types included', () => {
    const wrong = sources.flatMap((file) =>
      importsOf(file)
        .map((target) => [moduleOf(file), moduleOf(target)] as const)
        .filter(([from, to]) => from !== '*' && from !== to && !MAY_IMPORT[from]?.includes(to))
        .map(([, to]) => `${file} imports ${to}`),
    );
    expect(wrong).toEqual([]);
  });

  test.each(WORKSPACES)('%s imports nothing of src, and src nothing of it by path', (name) => {
    const inside = listSources(name).filter((file) => importsOf(file).some((path) => !path.startsWith(name)));
    const outside = sources.filter((file) => importsOf(file).some((path) => !path.startsWith('src/')));
    expect({ inside, outside }).toEqual({ inside: [], outside: [] });
  });

  test('only playground mode knows the package of the playground', () => {
    const wrong = sources.filter((file) => packagesOf(file).includes('partner-bff-playground'));
    expect(wrong.sort()).toEqual(PLAYGROUND_MODE);
  });

  test.each(['.', ...WORKSPACES])('%s imports only packages that it depends on', (name) => {
    const manifest = readFileSync(join(name, 'package.json'), 'utf8');
    const { dependencies } = JSON.parse(manifest) as { dependencies: Record<string, string> };
    const wrong = listSources(join(name, 'src')).flatMap((file) =>
      packagesOf(file)
        .filter((target) => !(target in dependencies) && !PLAYGROUND_MODE.includes(file))
        .map((target) => `${file} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  test('no file is part of an import ring', () => {
    const graph = new Map(allSources.map((file) => [file, importsOf(file)]));
    expect(allSources.filter((file) => reaches(graph, file, file))).toEqual([]);
  });

  test('only classes that Nest builds know Nest', () => {
    const wrong = allSources.filter((file) => {
      const text = readFileSync(file, 'utf8');
      return /from '@nestjs\//.test(text) && !NEST_CLASS.test(text) && !NEST_ELSEWHERE.includes(file);
    });
    expect(wrong).toEqual([]);
  });

  test('only main reads the environment, and the programs that start alone', () => {
    const readers = allSources.filter((file) => /process\.env/.test(readFileSync(file, 'utf8')));
    expect(readers.filter((file) => !/(\/main|-cli)\.ts$/.test(file))).toEqual([]);
  });

  test('every export has a docstring', () => {
    const files = [...sources, ...WORKSPACES.flatMap((name) => listSources(join(name, 'src')))];
    expect(files.flatMap(undocumented)).toEqual([]);
  });
});

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
}

function listSources(folder: string): string[] {
  return listFiles(folder).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !/(^|\/)(dist|node_modules)\//.test(file),
  );
}

/** The packages that a file imports, without Node's own. */
function packagesOf(file: string): string[] {
  const specifiers = readFileSync(file, 'utf8').matchAll(
    /\b(?:from |import |import\()'((?:@[\w-]+\/)?\w[^'/]*)/g,
  );
  return [...specifiers].map(([, name]) => name!).filter((name) => !name.startsWith('node:'));
}

function importsOf(file: string): string[] {
  const specifiers = readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g);
  return [...specifiers].map(([, path]) =>
    relative('.', resolve(dirname(file), path!)).replace(/\.js$/, '.ts'),
  );
}

function moduleOf(file: string): string {
  const [, first, rest] = file.split('/');
  return rest === undefined ? '*' : first!;
}

function reaches(graph: Map<string, string[]>, from: string, goal: string): boolean {
  const seen = new Set<string>();
  const open = [...(graph.get(from) ?? [])];
  while (open.length > 0) {
    const next = open.pop()!;
    if (next === goal) return true;
    if (!seen.has(next)) open.push(...(graph.get(next) ?? []));
    seen.add(next);
  }
  return false;
}

/** The exports of a file that have no docstring. */
function undocumented(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const seen = new Set<string>();
  return source.statements.flatMap((statement) => {
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    if (!isExported) return [];
    const named = ts.isVariableStatement(statement) ? statement.declarationList.declarations[0] : statement;
    const name = (named as { name?: ts.Node }).name?.getText();
    if (name === undefined || seen.has(name)) return []; // the first overload carries the docstring
    seen.add(name);
    return ts.getJSDocCommentsAndTags(statement).length > 0 ? [] : [`${file} ${name}`];
  });
}
