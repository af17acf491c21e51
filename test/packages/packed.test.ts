import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { linkPackages } from '../../client/test/project.js';
import { newFolder } from '../support/machine.js';
import { askToken, serviceEnvironment } from '../support/start-stack.js';
import { CLEAN, packed, RELEASED } from '../support/builds.js';
import { startProcess } from '../support/start-process.js';
import { until } from '../support/until.js';
import { usePlayground } from '../playground/client.js';

jest.setTimeout(180_000); // npm and two bundlers on a busy machine

const run = promisify(execFile);
const NAMES = ['partner-bff', 'partner-bff-client', 'partner-bff-playground'] as const;
const HIRER = 'seekAnzPublicTest:organization:seek:93WyyF1h';
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/** An empty folder with the packages installed. */
let project: string;
const playground = usePlayground({ size: 20 });
beforeAll(async () => {
  project = newFolder();
  await install();
});

/** As a partner does, without a network. The packages that the playground depends on are linked: npm would fetch them. */
async function install(): Promise<void> {
  writeFileSync(join(project, 'package.json'), '{"private": true, "type": "module"}');
  const quiet = ['--offline', '--no-audit', '--no-fund', '--legacy-peer-deps'];
  const tarballs = [packed('partner-bff'), packed('partner-bff-client')];
  await run('npm', ['install', ...quiet, ...tarballs], { cwd: project, env: CLEAN });
  const installed = join(project, 'node_modules/partner-bff-playground');
  mkdirSync(installed);
  await run('tar', ['-xzf', packed('partner-bff-playground'), '-C', installed, '--strip-components=1']);
}

const program = { args: ['node_modules/partner-bff/bundle/main.js'], node: process.execPath };
const command = async (argv: readonly string[], env: object): Promise<string> => {
  const options = { cwd: project, env: { PATH: process.env['PATH'], ...env } };
  return (await run(process.execPath, [...program.args, ...argv], options)).stdout;
};

test.each(NAMES)('%s has its version, the license and a README, and is not private', (name) => {
  const folder = join(project, 'node_modules', name);
  expect(readManifest(folder)).toMatchObject({ name, version: RELEASED });
  expect(readManifest(folder)).not.toHaveProperty('private');
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(['LICENSE', 'README.md']));
});

describe('partner-bff, installed by npm in an empty folder', () => {
  const folder = (): string => join(project, 'node_modules/partner-bff');

  test('depends on nothing, holds the licenses of all that it is made of, and no development package', () => {
    expect(
      Object.keys(readManifest(folder())).filter((name) => /dependencies|scripts|private/i.test(name)),
    ).toEqual([]);
    const licenses = readFileSync(join(folder(), 'bundle/THIRD-PARTY-LICENSES.md'), 'utf8');
    const named = [...licenses.matchAll(/^## (\S+) - \d/gm)].map(([, name]) => name!);
    const dependencies = Object.keys(readManifest('.').dependencies!);
    // files of this one are copied, its license beside them
    expect(named).toEqual(expect.arrayContaining(dependencies.filter((name) => name !== 'uplot')));
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, { dev?: boolean }>;
    };
    expect(named.filter((name) => packages[`node_modules/${name}`]?.dev)).toEqual([]);
    expect(named.filter((name) => /playground|yoga|graphiql|peculiar/.test(name))).toEqual([]);
  });

  test('holds what the pages copy from it', () => {
    const docs = join(folder(), 'docs');
    const pages = readdirSync(docs).filter((name) => name.endsWith('.md'));
    const text = pages.map((page) => readFileSync(join(docs, page), 'utf8')).join('');
    const copied = [...text.matchAll(/node_modules\/partner-bff\/([\w./-]+)/g)].map(([, path]) => path!);
    expect(copied).toContain('deploy/presets/seek-mock-data.env');
    expect(copied.filter((path) => !existsSync(join(folder(), path)))).toEqual([]);
  });

  test('is on the path of npm as partner-bff', async () => {
    const { stdout } = await run('npx', ['--offline', 'partner-bff', '--version'], {
      cwd: project,
      env: CLEAN,
    });
    expect(stdout.trim()).toBe(RELEASED);
  });

  test('starts without the playground by its settings, and says what playground mode needs', async () => {
    await expect(command(['playground'], {})).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('"npm pack --workspace=playground" makes a tarball') as string,
    });
    const environment = serviceEnvironment(playground, { DATA_DIR: 'data' });
    await command(['memberships', 'add', 'amelia', HIRER], { ...environment, OPS_PORT: '1' });
    const service = await startProcess(environment, { ...program, cwd: project });
    const token = await playground.signIn('amelia');
    const body = { hirerId: HIRER, scope: 'query:organizations' };
    expect((await askToken(service, token, body)).status).toBe(200);
    for (const path of ['/', '/dashboard/uplot.js', '/conditions']) {
      const answer = await fetch(new URL(path, service.opsUrl));
      await answer.arrayBuffer(); // unread, it would keep its connection, and the worker
      expect({ path, status: answer.status }).toEqual({ path, status: 200 });
    }
    const doctor = await command(['doctor'], { ...environment, OPS_PORT: new URL(service.opsUrl).port });
    expect(doctor).toMatch(/^ok {4}operations .* 0 faults/m);
    expect(await service.stop()).toBe(0);
  });

  test('has the types of events', async () => {
    writeFileSync(
      join(project, 'use.ts'),
      `import type { CandidateApplicationCreated } from 'partner-bff/events';
       export const id = (event: CandidateApplicationCreated): string | undefined => event.data.candidateApplicationProfileId;
       // @ts-expect-error no member of the event
       export const none = (event: CandidateApplicationCreated) => event.data.nothing;`,
    );
    const compilerOptions = { noEmit: true, strict: true, module: 'nodenext', types: [] };
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts'] }));
    const compiler = [resolve('node_modules/typescript/bin/tsc'), '--project', project];
    const { stdout } = await run(process.execPath, compiler).catch((failed: { stdout: string }) => failed);
    expect(stdout).toBe('');
  });
});

test('with partner-bff-playground beside it, partner-bff starts in playground mode', async () => {
  linkPackages(project, Object.keys(readManifest('playground').dependencies!));
  const environment = {
    PORT: '0',
    OPS_PORT: '0',
    PLAYGROUND_PORT: '0',
    DATA_DIR: ':memory:',
    LOG_FORMAT: 'json',
  };
  const args = [...program.args, 'playground'];
  const service = await startProcess(environment, { ...program, args, cwd: project });
  await until(() => /curl .*auth\/token/.test(service.logText()));
  expect((await fetch(`${service.opsUrl}/livez`)).status).toBe(200);
  expect(await service.stop()).toBe(0);
});
