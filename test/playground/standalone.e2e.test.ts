import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import supertest from 'supertest';
import { askToken, untilReady } from '../support/start-stack.js';
import { newFolder } from '../support/machine.js';
import { json, startJsonServer } from '../support/json-server.js';
import { builtPlayground, builtProgram, COMPILE_CACHE, startProcess } from '../support/start-process.js';
import { until } from '../support/until.js';

const run = promisify(execFile);

describe('a playground that runs alone', () => {
  let folder: string;
  let child: ChildProcess;
  let printed = '';
  beforeAll(async () => {
    folder = newFolder();
    child = start(['--port=0']);
    child.stdout!.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    await until(() => printed.includes('/demo/sign-in'));
  });
  afterAll(async () => {
    child.kill();
    await once(child, 'close');
  });

  function start(args: readonly string[]): ChildProcess {
    return spawn(process.execPath, [join(builtPlayground(), 'dist/main.js'), ...args], {
      env: COMPILE_CACHE,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  test('prints its schema for a reader that goes after the first line, as head does', async () => {
    const script = `${process.execPath} ${join(builtPlayground(), 'dist/main.js')} sdl | head -n 1`;
    expect(await run('/bin/sh', ['-c', script])).toEqual({ stdout: 'schema {\n', stderr: '' });
  });

  test('prints what a service needs: pasted into a shell as it is, the service starts and issues tokens', async () => {
    const script = `set -a\n${printed}\nexec ${process.execPath} ${builtProgram().args.join(' ')}`;
    const shell = { node: '/bin/sh', args: ['-c', script], cwd: folder };
    const service = await startProcess({ PORT: '0', OPS_PORT: '0' }, shell);
    try {
      await untilReady(service);
      const [, user, hirerId] = /memberships add (\S+) (\S+)/.exec(printed)!;
      await supertest(service.opsUrl).put(`/memberships/${user}/${encodeURIComponent(hirerId!)}`);
      const [, url, body] = /curl -sS (\S+) .* -d '(.*)'/.exec(printed)!;
      const signedIn = await supertest(url!).post('').type('application/json').send(body);
      const wish = { hirerId, scope: 'query:organizations' };
      const answer = await askToken(service, signedIn.body.access_token, wish);
      expect(answer).toMatchObject({ status: 200, body: { token_type: 'Bearer' } });
    } finally {
      expect(await service.stop()).toBe(0);
    }
  });

  test('is controlled by npm run playground without a build, which would pull the files from under it', async () => {
    cpSync('scripts/playground.js', join(folder, 'scripts/playground.mjs'));
    symlinkSync(builtPlayground(), join(folder, 'playground'));
    const before = builtFiles();
    const [, PLAYGROUND_URL] = /PLAYGROUND_URL=(.*)/.exec(printed)!;
    const { stdout, stderr } = await run(
      process.execPath,
      ['scripts/playground.mjs', 'switches', 'postingDelayMs=7'],
      {
        cwd: folder,
        env: { PLAYGROUND_URL, PATH: '' }, // npm, which builds, is not found
      },
    );
    expect(JSON.parse(stdout)).toMatchObject({ postingDelayMs: 7 });
    expect(stderr).toBe(`POST ${PLAYGROUND_URL}/playground/switches\n`);
    expect(builtFiles()).toEqual(before);
  });

  test('says which port is taken, and how to choose another', async () => {
    const { url, close } = await startJsonServer(json({}));
    const second = start([`--port=${url.port}`]);
    let text = '';
    second.stderr!.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const [code] = (await once(second, 'close')) as [number];
    await close();
    expect(text).toMatch(new RegExp(`^Ports? ${url.port} .*used by another process.*--port.*\n$`));
    expect(code).toBe(1);
  });

  function builtFiles(): string[] {
    const dist = join(builtPlayground(), 'dist');
    const names = readdirSync(dist, { recursive: true, encoding: 'utf8' });
    return names.map((name) => `${name} ${statSync(join(dist, name)).mtimeMs}`);
  }
});
