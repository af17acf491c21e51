import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { linkPackages } from '../../client/test/project.js';
import { CLEAN, packed } from '../support/builds.js';
import { newFolder } from '../support/machine.js';

jest.setTimeout(120_000); // npm and a compiler on a busy machine

const run = promisify(execFile);
const NAME = 'partner-bff-playground';
const manifest = JSON.parse(readFileSync('playground/package.json', 'utf8')) as {
  dependencies: Record<string, string>;
};

/** The example of the page, as it stands there, and the line that Vitest needs. */
const [EXAMPLE, VITEST_IMPORT] = [
  ...readFileSync('docs/playground.md', 'utf8').matchAll(/```js\n([^]*?)```/g),
].map(([, code]) => code!) as [string, string];

let folder: string;
beforeAll(async () => {
  folder = await unpackedIn(newFolder());
});

/** Unpacks the package as it would be published in the `node_modules` of an empty project. */
async function unpackedIn(project: string): Promise<string> {
  const installed = join(project, 'node_modules', NAME);
  mkdirSync(installed, { recursive: true });
  await run('tar', ['-xzf', packed('partner-bff-playground'), '-C', installed, '--strip-components=1']);
  linkPackages(project, [...Object.keys(manifest.dependencies), '@types/node', 'undici-types', 'vitest']);
  writeFileSync(join(project, 'package.json'), '{"type": "module"}');
  return project;
}

/** Runs the example of the page in Vitest. */
async function runVitest(project: string, config: object): Promise<string> {
  mkdirSync(join(project, 'vitest'), { recursive: true });
  writeFileSync(join(project, 'vitest', 'own.test.js'), VITEST_IMPORT + EXAMPLE);
  writeFileSync(join(project, 'vitest', 'vitest.config.js'), `export default ${JSON.stringify(config)}`);
  const program = [resolve('node_modules/vitest/vitest.mjs'), 'run', '--root', join(project, 'vitest')];
  const env = { ...CLEAN, NO_COLOR: '1', VITEST: undefined, NODE_ENV: 'test' };
  const { stdout } = await run(process.execPath, program, { cwd: project, env }).catch(
    (failed: { stdout: string }) => failed,
  );
  return stdout;
}

describe('the packed playground, unpacked in an empty project', () => {
  test('runs the example of docs/playground.md in Jest', async () => {
    mkdirSync(join(folder, 'jest'));
    writeFileSync(join(folder, 'jest', 'own.test.js'), EXAMPLE);
    const options = { cwd: folder, env: { ...CLEAN, NODE_OPTIONS: '--experimental-vm-modules' } };
    const program = [resolve('node_modules/jest/bin/jest.js'), '--rootDir', join(folder, 'jest')];
    const { stderr } = await run(process.execPath, program, options);
    expect(stderr).toMatch(/Tests: +2 passed, 2 total/);
  });

  test('runs it in Vitest', async () => {
    expect(await runVitest(folder, {})).toMatch(/Tests +2 passed \(2\)/);
  });

  test.each([
    ['as it is', {}],
    ['with every dependency inlined', { test: { server: { deps: { inline: true } } } }],
  ])('runs it in Vitest as a linked folder, %s', async (_name, config) => {
    const project = newFolder();
    const linked = newFolder();
    cpSync(join(folder, 'node_modules', NAME), linked, { recursive: true });
    linkPackages(linked, Object.keys(manifest.dependencies));
    linkPackages(project, ['vitest']);
    symlinkSync(linked, join(project, 'node_modules', NAME));
    writeFileSync(join(project, 'package.json'), '{"type": "module"}');
    expect(await runVitest(project, config)).toMatch(/Tests +2 passed \(2\)/);
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
    expect(stdout).toMatch(/^In the installed package, replace .* with "partner-bff-playground"/);
  });

  test('holds what was compiled, its documents, schema and license, and nothing else', () => {
    const files = readdirSync(join(folder, 'node_modules', NAME)).sort();
    expect(files).toEqual(['LICENSE', 'README.md', 'dist', 'package.json', 'schema.graphql']);
    expect(readFileSync(join(folder, 'node_modules', NAME, 'LICENSE'))).toEqual(readFileSync('LICENSE'));
  });
});
