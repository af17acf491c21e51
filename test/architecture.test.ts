import { globSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';

const BASE = ['errors', 'concurrency', 'json', 'config', 'telemetry'];
const FEATURES = [...BASE, 'storage', 'http', 'audit', 'auth'];

/** The layers: a module imports only those of its row. `*` is the composition root at the top of src. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  errors: [],
  concurrency: ['errors'],
  json: ['errors'],
  config: ['errors', 'concurrency', 'json'],
  telemetry: ['errors', 'concurrency', 'config'],
  workers: ['errors', 'concurrency', 'config', 'telemetry'],
  storage: BASE,
  http: BASE,
  upstream: [...BASE, 'http'],
  audit: [...BASE, 'storage', 'http'],
  auth: [...BASE, 'http'],
  'hirer-access': FEATURES,
  token: [...FEATURES, 'upstream', 'hirer-access'],
  operations: [...FEATURES, 'upstream', 'hirer-access', 'token'],
  proxy: [...FEATURES, 'upstream', 'hirer-access', 'token', 'operations'],
  webhooks: [...FEATURES, 'upstream', 'hirer-access', 'token', 'operations'],
  ops: [...FEATURES, 'workers', 'upstream', 'hirer-access', 'token', 'operations', 'proxy', 'webhooks'],
  'playground-mode': [...FEATURES, 'hirer-access', '*'],
  command: [
    ...FEATURES,
    'workers',
    'upstream',
    'hirer-access',
    'token',
    'operations',
    'proxy',
    'webhooks',
    'ops',
    'playground-mode',
    '*',
  ],
};

/** Packages of their own, which the service meets over HTTP only. */
const WORKSPACES = ['playground', 'client', 'examples/frontend'];
/** Where the service loads the playground, and reads its types. */
const PLAYGROUND_MODE = ['src/playground-mode/environment.ts', 'src/playground-mode/introduction.ts'];

/** Written by `npm run docs`. */
const GENERATED = ['examples/frontend/src/operations.ts'];

/** Loaded on demand by a program that says so when the development dependencies are not installed. */
const DEVELOPMENT_ONLY = ['src/ops/schema-check/operation-types.ts'];

/** Files that may import development dependencies; the generated one imports only types. */
const MAY_USE_DEVELOPMENT = [...DEVELOPMENT_ONLY, ...GENERATED];

/** Marks of classes that Nest builds, which may import it. */
const NEST_CLASS = /^@(Injectable|Module|(Ops)?Controller|Catch)\(/m;
const NEST_ELSEWHERE = [
  'src/service.ts',
  'src/command/store/store-at-rest.ts',
  'src/config/default.ts',
  'src/http/incoming/listeners-adapter.ts',
  'src/http/ops-controller.ts',
];

const sources = listSources('src');
const workspaceSources = (name: string): string[] => listSources(join(name, 'src'));
const allSources = [...sources, ...WORKSPACES.flatMap(workspaceSources)];

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
    const isForeign = (path: string): boolean => !path.startsWith(`${name}/`);
    const inside = workspaceSources(name).filter((file) => importsOf(file).some(isForeign));
    const outside = sources.filter((file) => importsOf(file).some((path) => !path.startsWith('src/')));
    expect({ inside, outside }).toEqual({ inside: [], outside: [] });
  });

  test('only playground mode knows the package of the playground', () => {
    const wrong = sources.filter((file) => packagesOf(file).includes('partner-bff-playground'));
    expect(wrong.sort()).toEqual(PLAYGROUND_MODE);
  });

  test.each(['.', ...WORKSPACES])('%s imports only packages that it depends on', (name) => {
    const manifest = readFileSync(join(name, 'package.json'), 'utf8');
    const { dependencies, peerDependencies, devDependencies } = JSON.parse(manifest) as Record<
      string,
      object | undefined
    >;
    const known = { ...dependencies, ...peerDependencies };
    const wrong = listSources(join(name, 'src')).flatMap((file) =>
      packagesOf(file)
        .filter((target) => !(target in known) && !PLAYGROUND_MODE.includes(file))
        .filter((target) => !(target in (devDependencies ?? {}) && MAY_USE_DEVELOPMENT.includes(file)))
        .map((target) => `${file} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  test('what needs the development dependencies is never imported at the start of a program', () => {
    const names = DEVELOPMENT_ONLY.map((file) => basename(file, '.ts'));
    const importers = sources.filter((file) =>
      names.some((name) => readFileSync(file, 'utf8').includes(`from './${name}.js'`)),
    );
    expect(importers).toEqual([]);
  });

  test('every pattern of suites that are measured alone names a suite', async () => {
    const { MEASURED } = (await import(resolve('jest.config.js'))) as { MEASURED: readonly string[] };
    const found = (pattern: string): string[] =>
      ['src', 'test'].flatMap((cwd) => globSync(pattern.replace(`**/${cwd}/`, ''), { cwd }));
    expect(MEASURED.filter((pattern) => found(pattern).length === 0)).toEqual([]);
  });

  test('CONTRIBUTING describes every package', () => {
    const text = readFileSync('CONTRIBUTING.md', 'utf8');
    expect(WORKSPACES.filter((name) => !text.includes(`| \`${name.split('/')[0]}\` `))).toEqual([]);
  });

  test('the browser package has no dependency at run time, and its core imports none', () => {
    const manifest = JSON.parse(readFileSync('client/package.json', 'utf8')) as Record<string, object>;
    expect(manifest['dependencies']).toBeUndefined();
    const links = ['apollo-link', 'apollo', 'graphql-request', 'react', 'urql'].map(
      (name) => `client/src/${name}.ts`,
    );
    const importers = workspaceSources('client').filter((file) => packagesOf(file).length > 0);
    expect(importers.sort()).toEqual(links);
  });

  test('no file is part of an import ring', () => {
    const graph = new Map(allSources.map((file) => [file, importsOf(file)]));
    expect(allSources.filter((file) => reaches(graph, file, file))).toEqual([]);
  });

  test('main links nothing before it has checked the version of Node.js, which may be too old to link it', () => {
    const imports = [...readFileSync('src/main.ts', 'utf8').matchAll(/^import .*'(.+)'/gm)];
    const linked = imports.flatMap(([, name]) => (name!.startsWith('node:') ? [] : [name]));
    expect(linked).toEqual(['./node-version.js', './tick-shape.js']);
    expect(readFileSync('src/node-version.ts', 'utf8')).not.toMatch(/\bimport\b.*'/);
    expect(readFileSync('src/tick-shape.ts', 'utf8')).not.toMatch(/from '(?!node:)/);
  });

  test('only classes that Nest builds know Nest', () => {
    const wrong = allSources.filter((file) => {
      const text = readFileSync(file, 'utf8');
      return /from '@nestjs\//.test(text) && !NEST_CLASS.test(text) && !NEST_ELSEWHERE.includes(file);
    });
    expect(wrong).toEqual([]);
  });

  test('only storage knows which databases there are', () => {
    const wrong = sources.filter((file) => /dialect|postgres|sqlite/.test(readFileSync(file, 'utf8')));
    const known = wrong.filter((file) => !file.startsWith('src/storage/'));
    expect(known).toEqual(['src/config/settings/storage.ts']);
  });

  test('a module file gives others its module, and no value that a class would import', () => {
    const isModule = (path: string): boolean => path.endsWith('.module.ts');
    const importers = sources.filter((file) => !isModule(file) && importsOf(file).some(isModule));
    expect(importers.sort()).toEqual(['src/command/store/store-at-rest.ts', 'src/service.ts']);
  });

  test('only main reads the environment', () => {
    const readers = allSources.filter((file) => /process\.env/.test(readFileSync(file, 'utf8')));
    expect(readers.filter((file) => !/\/main\.ts$/.test(file))).toEqual([]);
  });
});

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
}

function listSources(folder: string): string[] {
  return listFiles(folder).filter(
    (file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts') && !/(^|\/)(dist|node_modules)\//.test(file),
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
