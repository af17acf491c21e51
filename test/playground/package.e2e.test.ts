import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { jest } from '@jest/globals';

jest.setTimeout(120_000); // npm and a compiler on a busy machine

const run = promisify(execFile);
const NAME = 'partner-bff-playground';
const manifest = JSON.parse(readFileSync('playground/package.json', 'utf8')) as {
  dependencies: Record<string, string>;
};
/** Without what Jest sets here. */
const CLEAN = { ...process.env, NODE_OPTIONS: '', npm_config_omit: '' };

/** The example of the page, as it stands there. */
const EXAMPLE = /```js\n([^]*?)```/.exec(readFileSync('docs/playground.md', 'utf8'))![1]!;

let folder: string;
beforeAll(async () => {
  folder = await unpackedIn(mkdtempSync(join(tmpdir(), 'partner-')));
});

/** Packs a copy of the package as it would be published, and unpacks it in the `node_modules` of an empty project. */
async function unpackedIn(project: string): Promise<string> {
  const sources = mkdtempSync(join(tmpdir(), 'pack-'));
  const isSource = (path: string): boolean => !/^playground\/(dist|node_modules)(\/|$)/.test(path);
  cpSync('playground', join(sources, 'playground'), { recursive: true, filter: isSource });
  for (const name of ['.swcrc', 'tsconfig.json']) cpSync(name, join(sources, name));
  symlinkSync(resolve('node_modules'), join(sources, 'node_modules'));
  await run('npm', ['pack'], { cwd: join(sources, 'playground'), env: CLEAN });
  const tarball = readdirSync(join(sources, 'playground')).find((name) => name.endsWith('.tgz'))!;
  const installed = join(project, 'node_modules', NAME);
  mkdirSync(installed, { recursive: true });
  await run('tar', ['-xzf', join(sources, 'playground', tarball), '-C', installed, '--strip-components=1']);
  // Tests have no network: the dependencies that npm would install are linked.
  for (const name of [...Object.keys(manifest.dependencies), '@types/node', 'undici-types']) {
    mkdirSync(dirname(join(project, 'node_modules', name)), { recursive: true });
    symlinkSync(resolve('node_modules', name), join(project, 'node_modules', name));
  }
  writeFileSync(join(project, 'package.json'), '{"type": "module"}');
  return project;
}

describe('the packed playground, unpacked in an empty project', () => {
  test('runs the example of docs/playground.md in Jest', async () => {
    writeFileSync(join(folder, 'own.test.js'), EXAMPLE);
    const options = { cwd: folder, env: { ...CLEAN, NODE_OPTIONS: '--experimental-vm-modules' } };
    const program = [resolve('node_modules/jest/bin/jest.js'), '--rootDir', folder];
    const { stderr } = await run(process.execPath, program, options);
    expect(stderr).toMatch(/Tests: +1 passed, 1 total/);
  });

  test('has types: what it gives is known, and a wrong option does not compile', async () => {
    const compilerOptions = {
      module: 'nodenext',
      target: 'es2024',
      strict: true,
      noEmit: true,
      types: ['node'],
    };
    const options = { compilerOptions: { ...compilerOptions, skipLibCheck: true }, files: ['app.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options));
    const check = async (port: string): Promise<string> => {
      const text = `import { startPlayground } from '${NAME}';
        export const url: string = (await startPlayground({ port: ${port} })).upstreamUrl;`;
      writeFileSync(join(folder, 'app.ts'), text);
      const compiler = [resolve('node_modules/typescript/bin/tsc'), '--project', folder];
      return run(process.execPath, compiler, { env: CLEAN }).then(
        ({ stdout }) => stdout,
        ({ stdout }: { stdout: string }) => stdout,
      );
    };
    expect(await check('0')).toBe('');
    expect(await check('"0"')).toContain("Type 'string' is not assignable to type 'number'");
  });

  test('has a command', async () => {
    const main = join(folder, 'node_modules', NAME, 'dist/main.js');
    expect(readFileSync(main, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    const { stdout } = await run(process.execPath, [main, '--help'], { env: CLEAN });
    expect(stdout).toMatch(/^As a package of its own, write partner-bff-playground/);
  });

  test('holds what was compiled, its documents, schema and license, and nothing else', () => {
    const files = readdirSync(join(folder, 'node_modules', NAME)).sort();
    expect(files).toEqual(['LICENSE', 'README.md', 'dist', 'package.json', 'schema.graphql']);
    expect(readFileSync(join(folder, 'node_modules', NAME, 'LICENSE'))).toEqual(readFileSync('LICENSE'));
  });
});
