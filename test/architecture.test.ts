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
