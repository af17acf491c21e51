import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPlayground, type Playground } from '../../playground/src/playground.js';
import type { Environment } from '../../src/config/load-config.js';
import { makeContainer, type Container } from '../support/container-root.js';
import { instructionsOf, variablesOf } from '../support/dockerfile.js';
import {
  DOCUMENTED_EXCHANGES,
  EXCHANGES_HIRER,
  EXCHANGES_WEBHOOK_SECRET,
  ExchangeReader,
} from '../support/documented-exchanges.js';
import { runProcess, startProcess, type Program, type ServiceProcess } from '../support/start-process.js';
import { TEST_KEYS } from '../support/start-stack.js';

// The image on its own root file system, with Debian's libraries and in namespaces, where there is no container engine.

const OPS_TOKEN = 'an-ops-token-of-the-image-drill';
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const megabytesOf = (path: string): number =>
  Number(execFileSync('du', ['-sm', '--apparent-size', path], { encoding: 'utf8' }).split('\t')[0]);

describe('the image', () => {
  let container: Container;
  let upstream: Playground;
  let environment: Environment;

  beforeAll(async () => {
    container = makeContainer();
    upstream = await startPlayground({ port: 0 });
    environment = {
      ...variablesOf(instructionsOf()),
      ...upstream.settings,
      ...TEST_KEYS,
      PORT: '0',
      OPS_PORT: '0',
      OPS_TOKEN,
      WEBHOOK_SECRETS: EXCHANGES_WEBHOOK_SECRET,
    };
    process.stdout.write(`The root file system of the image has ${megabytesOf(container.root)} MB.\n`);
  });
  afterAll(async () => {
    await upstream.close();
    container.remove();
  });

  const run = (...args: string[]) => runProcess(environment, container.program(args));

  test('has no program but Node.js', () => {
    expect(readdirSync(join(container.root, 'nodejs/bin'))).toEqual(['node']);
    expect(readdirSync(join(container.root, 'usr'))).not.toContain('bin');
  });

  test('says its version, checks its settings and tries what they name', async () => {
    expect(await run('--version')).toEqual({ code: 0, text: `${version}\n` });
    expect(await run('check')).toEqual({
      code: 0,
      text: expect.stringMatching(/^OPS_TOKEN=set$/m) as string,
    });
    const { code, text } = await run('doctor');
    expect({ code, failed: text.match(/^fail .*$/gm) }).toEqual({ code: 0, failed: null });
  });

  test('refuses its playground, which is an image of its own', async () => {
    const { code, text } = await runProcess(variablesOf(instructionsOf()), container.program(['playground']));
    expect({ code, text }).toEqual({
      code: 1,
      text: expect.stringContaining('partner-bff-playground') as string,
    });
  });

  describe('as a service', () => {
    let service: ServiceProcess;
    let reader: ExchangeReader;

    beforeAll(async () => {
      service = await startProcess(environment, container.program());
      const port = new URL(service.opsUrl).port;
      const ofOps = { ...environment, OPS_PORT: port };
      const add = container.program(['memberships', 'add', 'amelia', EXCHANGES_HIRER]);
      expect((await runProcess(ofOps, add)).code).toBe(0);
      reader = await ExchangeReader.signIn(service.url, upstream);
    });
    afterAll(() => service.stop());

    test.each(DOCUMENTED_EXCHANGES.map((exchange) => [exchange.request.firstLine, exchange] as const))(
      'answers %s as the page on routes says',
      (_name, exchange) => reader.follow(exchange),
    );

    test('is healthy by the check of the image, and nothing else is', async () => {
      const check = (port: string) => runProcess({ ...environment, OPS_PORT: port }, container.healthCheck);
      expect(await check(new URL(service.opsUrl).port)).toEqual({ code: 0, text: '' });
      expect(await check('1')).toEqual({ code: 1, text: '' });
    });

    test('is process 1 of the user 65532, without any capability', () => {
      const [outer] = childrenOf(service.child.pid!);
      const status = readFileSync(`/proc/${childrenOf(outer!)[0]}/status`, 'utf8');
      expect(status).toMatch(/^Uid:\t65532\t65532\t65532\t65532$/m);
      expect(status).toMatch(/^NSpid:.*\t1$/m);
      expect(status).toMatch(/^CapEff:\t0+$/m);
    });

    test('can write to its volume and to /tmp, and nowhere else', async () => {
      const script = `const { writeFileSync } = require('node:fs');
        for (const folder of ['/', '/app', '/etc', '/home/nonroot', '/data', '/tmp']) {
          try { writeFileSync(folder + '/a-file', ''); console.log(folder); } catch (error) { if (error.code !== 'EROFS') throw error; }
        }`;
      const { args, ...others } = container.program([]);
      const program: Program = { ...others, args: [...args.slice(0, -1), '--eval', script] };
      expect(await runProcess(environment, program)).toEqual({ code: 0, text: '/data\n/tmp\n' });
    });

    test('ends with 0 on SIGTERM, and has its data when it starts again', async () => {
      reader.close();
      expect(await service.stop()).toBe(0);
      service = await startProcess(environment, container.program());
      const authorized = { headers: { Authorization: `Bearer ${OPS_TOKEN}` } };
      const memberships = await fetch(`${service.opsUrl}/memberships`, authorized);
      expect(await memberships.json()).toMatchObject({ items: [{ hirerId: EXCHANGES_HIRER }] });
    });
  });
});

test('the image of the playground gives a token by the command that it prints', async () => {
  const container = makeContainer('playground');
  const variables = variablesOf(instructionsOf('playground'));
  const ports = { PORT: '0', OPS_PORT: '0', PLAYGROUND_PORT: '0', LOG_FORMAT: 'json' };
  const service = await startProcess({ ...variables, ...ports }, container.program());
  try {
    process.stdout.write(`That of the playground has ${megabytesOf(container.root)} MB.\n`);
    const command = await service.printed(/curl [^\n]*auth\/token[^]*?(?=\n\n)/);
    expect(execFileSync('sh', ['-c', command], { encoding: 'utf8', stdio: 'pipe' })).toContain(
      'access_token',
    );
    expect(await service.stop()).toBe(0);
  } finally {
    await service.stop();
    container.remove();
  }
});

/** The processes that a process has started. */
function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
}
