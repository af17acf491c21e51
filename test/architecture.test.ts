import { readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** The staircase: a room imports only rooms of its row. `*` is the composition root at the top of src. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  errors: [],
  config: ['errors'],
  storage: ['errors', 'config'],
  ops: ['errors', 'config', 'storage'],
  upstream: ['errors', 'config', 'ops'],
  auth: ['errors', 'config', 'ops'],
  'hirer-access': ['errors', 'config', 'storage', 'ops', 'auth'],
  token: ['errors', 'config', 'storage', 'ops', 'upstream', 'auth', 'hirer-access'],
  proxy: ['errors', 'config', 'storage', 'ops', 'upstream', 'auth', 'hirer-access', 'token'],
  webhooks: ['errors', 'config', 'storage', 'ops', 'upstream', 'token', 'auth', 'hirer-access'],
  playground: [],
};

const NEST_SUFFIX = /\.(controller|guard|filter|module|decorator)\.ts$/;
const COMPOSITION_ROOT = ['main.ts', 'app.module.ts', 'ops-app.module.ts', 'service.ts', 'listener.ts'];

const sources = listFiles('src').filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));

describe('architecture', () => {
  test('every folder of src is a room of the staircase', () => {
    const folders = readdirSync('src').filter((name) => statSync(join('src', name)).isDirectory());
    expect(folders.filter((name) => !(name in MAY_IMPORT))).toEqual([]);
  });

  test('a room imports only the rooms below it, types included', () => {
    const wrong = sources.flatMap((file) =>
      importsOf(file)
        .map((target) => [roomOf(file), roomOf(target)] as const)
        .filter(([from, to]) => from !== '*' && from !== to && !MAY_IMPORT[from]?.includes(to))
        .map(([, to]) => `${file} imports ${to}`),
    );
    expect(wrong).toEqual([]);
  });

  test('no file is part of an import ring', () => {
    const graph = new Map(sources.map((file) => [file, importsOf(file)]));
    expect(sources.filter((file) => reaches(graph, file, file))).toEqual([]);
  });

  test('only files with a Nest suffix and the composition root import Nest', () => {
    const wrong = sources.filter(
      (file) =>
        /from '@nestjs\//.test(readFileSync(file, 'utf8')) &&
        !NEST_SUFFIX.test(file) &&
        !COMPOSITION_ROOT.includes(relative('src', file)),
    );
    expect(wrong).toEqual([]);
  });

  test('only main reads the environment, and the programs that start alone', () => {
    const readers = sources.filter((file) => /process\.env/.test(readFileSync(file, 'utf8')));
    expect(readers.filter((file) => !/(^src\/main|\/main|-cli)\.ts$/.test(file))).toEqual([]);
  });
});

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
}

function importsOf(file: string): string[] {
  const specifiers = readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g);
  return [...specifiers].map(([, path]) =>
    relative('.', resolve(dirname(file), path!)).replace(/\.js$/, '.ts'),
  );
}

function roomOf(file: string): string {
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
