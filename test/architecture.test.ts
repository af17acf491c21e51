import { readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const BASE = ['errors', 'concurrency', 'json', 'config', 'telemetry'];
const FEATURES = [...BASE, 'storage', 'http', 'audit', 'auth'];

/** The layers: a module imports only those of its row. `*` is the composition root at the top of src. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  errors: [],
  concurrency: ['errors'],
  json: ['errors'],
  config: ['errors', 'concurrency', 'json'],
  telemetry: ['errors', 'concurrency', 'json', 'config'],
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
  ops: [...FEATURES, 'upstream', 'hirer-access', 'token', 'operations', 'proxy', 'webhooks'],
  'playground-mode': [...FEATURES, 'hirer-access', '*'],
  command: [
    ...FEATURES,
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
/** Where the service loads the playground, which need not be installed. */
const PLAYGROUND_MODE = ['src/playground-mode/environment.ts', 'src/playground-mode/introduction.ts'];

/** Files that may import development dependencies: a program of the repository, and generated types. */
const MAY_USE_DEVELOPMENT = [
  'src/ops/schema-check/operation-types.ts',
  'examples/frontend/src/operations.ts',
];

const sources = listSources('src');
const workspaceSources = (name: string): string[] => listSources(join(name, 'src'));
const allSources = [...sources, ...WORKSPACES.flatMap(workspaceSources)];

describe('architecture', () => {
  test('every folder of src is a module with a row', () => {
    const folders = readdirSync('src').filter((name) => statSync(join('src', name)).isDirectory());
    expect(folders.filter((name) => !(name in MAY_IMPORT))).toEqual([]);
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

  test('no file is part of an import ring', () => {
    const graph = new Map(allSources.map((file) => [file, importsOf(file)]));
    expect(allSources.filter((file) => reaches(graph, file, file))).toEqual([]);
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
