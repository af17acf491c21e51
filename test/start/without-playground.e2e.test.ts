import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import supertest from 'supertest';
import { startPlayground, type Playground } from '../../playground/src/playground.js';
import { CONFIG_EXIT_CODE } from '../../src/config/load-config.js';
import { askToken } from '../support/ask-token.js';
import { buildService, runProcess, startProcess } from '../support/start-process.js';
import { serviceEnvironment } from '../support/start-stack.js';

/** Links, so that Node resolves each import within the installation instead of beside the link's target. */
const IN_PLACE = ['--preserve-symlinks', '--preserve-symlinks-main'];
const ONLY_OF_PLAYGROUND = ['partner-bff-playground', 'graphql-yoga', '@graphql-yoga/render-graphiql'];

describe('a production installation, without the playground', () => {
  let installation: string;
  let packages: string[];
  let program: readonly string[];
  let upstream: Playground;

  beforeAll(async () => {
    installation = mkdtempSync(join(tmpdir(), 'bff-production-'));
    packages = productionPackages();
    for (const name of packages) {
      const link = join(installation, 'node_modules', name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(resolve('node_modules', name), link);
    }
    buildService(join(installation, 'dist'));
    program = [...IN_PLACE, join(installation, 'dist/main.js')];
    upstream = await startPlayground({ port: 0 });
  });
  afterAll(async () => {
    await upstream.close();
    rmSync(installation, { recursive: true });
  });

  test('holds neither the playground nor what only the playground needs', () => {
    expect(packages).toEqual(expect.arrayContaining(['@nestjs/core', 'graphql', 'fastify']));
    expect(packages).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/playground|yoga|graphiql|peculiar/)]),
    );
  });

  test.each(ONLY_OF_PLAYGROUND)('cannot resolve %s', (name) => {
    const script = `await import(${JSON.stringify(name)})`;
    const options = ['--input-type=module', '-e', script];
    expect(() =>
      execFileSync(resolve('node_modules/.bin/node'), options, { cwd: installation, stdio: 'pipe' }),
    ).toThrow('ERR_MODULE_NOT_FOUND');
  });

  test('starts against a configured upstream and issues browser tokens', async () => {
    const service = await startProcess(serviceEnvironment(upstream), program);
    try {
      const hirerId = upstream.demo.hirers[0]!.hirerId;
      await supertest(service.opsUrl).put(`/memberships/amelia/${encodeURIComponent(hirerId)}`);
      const token = await upstream.signIn('amelia');
      const answer = await askToken(service, token, { hirerId, scope: 'query:organizations' });
      expect(answer.status).toBe(200);
    } finally {
      expect(await service.stop()).toBe(0);
    }
  });

  test('refuses playground mode with exit code 78, naming the package and the setting', async () => {
    const { code, text } = await runProcess({ DATA_DIR: ':memory:', PORT: '0', OPS_PORT: '0' }, program);
    expect(code).toBe(CONFIG_EXIT_CODE);
    expect(text).toBe(
      'The configuration is not valid:\n' +
        '  - UPSTREAM_URL is required: playground mode needs the package partner-bff-playground, which is not installed here\n',
    );
  });
});

/** What `npm ci --omit=dev --workspaces=false`, as the container image runs it, installs at the top level. */
function productionPackages(): string[] {
  const env = { ...process.env, NODE_OPTIONS: '' };
  const options = ['--workspaces=false', '--omit=dev', '--all', '--parseable'];
  const paths = execFileSync('npm', ['ls', ...options], { env, encoding: 'utf8', stdio: 'pipe' });
  return paths
    .trim()
    .split('\n')
    .map((path) => relative(resolve('node_modules'), path))
    .filter((name) => name !== '..' && !name.includes('/node_modules/'));
}
