import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { newFolder } from '../../test/support/machine.js';
import { packed } from '../../test/support/builds.js';

const run = promisify(execFile);
const LIBRARIES = [
  '@apollo/client',
  '@graphql-typed-document-node/core',
  '@urql/core',
  '@urql/exchange-persisted',
  'graphql',
  'graphql-request',
  'oidc-client-ts',
  'react',
  'react-dom',
  'rxjs',
  'vitest',
  'wonka',
];
const TYPES = ['@types/react', '@types/react-dom', 'csstype'];

/** A project of a partner, with the packed package installed and the libraries of its links. */
export interface Project {
  readonly folder: string;
  /** Bundles a module as Vite does for production; returns the minified script. */
  bundle(text: string): Promise<string>;
  /** Checks the types of modules; returns what the compiler reports. */
  check(...texts: readonly string[]): Promise<string>;
}

/** Makes an empty project in a temporary folder. */
export async function openProject(): Promise<Project> {
  const folder = await installPackage([...LIBRARIES, ...TYPES]);
  writeFileSync(
    join(folder, 'vite.config.js'),
    `export default ${JSON.stringify(vite(join(folder, 'app.ts')))}`,
  );
  return {
    folder,
    bundle: async (text) => {
      writeFileSync(join(folder, 'app.ts'), text);
      await tool('vite/bin/vite.js', 'build', folder);
      return readFileSync(join(folder, 'dist', 'app.js'), 'utf8');
    },
    check: async (...texts) => {
      const files = texts.map((_, at) => `checked-${at + 1}.ts`);
      texts.forEach((text, at) => writeFileSync(join(folder, files[at]!), text));
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER, files }));
      return checkTypes(folder);
    },
  };
}

/** Copies an example into a folder of its own, as a partner does, beside the packed package. */
export async function copyExample(example: string): Promise<string> {
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(join(example, 'package.json'), 'utf8'),
  ) as Record<string, object>;
  const names = Object.keys({ ...dependencies, ...devDependencies });
  const folder = await installPackage([...names, 'csstype'], join(example, 'node_modules'));
  cpSync(example, folder, { recursive: true, filter: (path) => !path.includes('node_modules') });
  return folder;
}

/** The compiler's report on a project. */
export function checkTypes(folder: string): Promise<string> {
  return tool('typescript/bin/tsc', '--project', folder).catch((error: { stdout: string }) => error.stdout);
}

/** Builds a project by its own configuration; returns the folder of what is served. */
export async function build(folder: string, environment: Record<string, string>): Promise<string> {
  const options = { cwd: folder, env: { ...CLEAN, ...environment } };
  await run(process.execPath, [resolve('node_modules/vite/bin/vite.js'), 'build'], options);
  return join(folder, 'dist');
}

/** A new folder into which npm has installed the tarball that it would publish, and libraries linked from here. */
async function installPackage(libraries: readonly string[], nearer = ''): Promise<string> {
  const folder = newFolder();
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  const options = ['--offline', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...options, packed('partner-bff-client')], { cwd: folder, env: NPM });
  linkPackages(folder, libraries, nearer);
  return folder;
}

/** Links packages that npm would fetch: tests have no network. */
export function linkPackages(folder: string, names: readonly string[], nearer = ''): void {
  for (const name of names) {
    const place = join(folder, 'node_modules', name);
    if (existsSync(place)) continue;
    mkdirSync(dirname(place), { recursive: true });
    const near = resolve(nearer, name);
    symlinkSync(nearer && existsSync(near) ? near : resolve('node_modules', name), place);
  }
}

/** Bundles a file of the tests for a browser, package included. */
export async function bundleFile(file: string): Promise<string> {
  const folder = newFolder();
  const config = { ...vite(resolve(file)), root: resolve('.') };
  const settings = { ...config, build: { ...config.build, outDir: folder, emptyOutDir: false } };
  writeFileSync(join(folder, 'vite.config.mjs'), `export default ${JSON.stringify(settings)}`);
  await tool('vite/bin/vite.js', 'build', '--config', join(folder, 'vite.config.mjs'));
  return readFileSync(join(folder, 'app.js'), 'utf8');
}

/** Bytes of a script as it is sent, compressed. */
export function sentBytes(script: string): number {
  return gzipSync(script, { level: 9 }).length;
}

const COMPILER = {
  target: 'ES2022',
  lib: ['ES2024', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
  module: 'ESNext',
  moduleResolution: 'bundler',
  strict: true,
  skipLibCheck: true,
  noEmit: true,
  types: [],
};

function vite(input: string) {
  return {
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      minify: true,
      modulePreload: false,
      target: 'es2022',
      rolldownOptions: { input, preserveEntrySignatures: 'strict', output: { entryFileNames: 'app.js' } },
    },
  };
}

/** Without what Jest sets. */
const CLEAN = { ...process.env, NODE_OPTIONS: '', NODE_ENV: 'production' };
const NPM = { ...CLEAN, npm_config_omit: '' };

/** A program of a package, in a process of its own. */
async function tool(path: string, ...args: string[]): Promise<string> {
  return (await run(process.execPath, [join('node_modules', path), ...args], { env: CLEAN })).stdout;
}
