import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../bench/server-process.js';
import { copyExample } from '../../client/test/project.js';
import { startStack, type Stack } from '../support/start-stack.js';
import { TEST_BROKERS, type TestBroker } from '../support/test-brokers.js';
import { until } from '../support/until.js';

jest.setTimeout(60_000); // npm and processes on a busy machine

const SINK_SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const APPLICATIONS = 20;

let folder: string;
beforeAll(async () => {
  folder = await copyExample('examples/backend');
}, 180_000);

test('the example has a consumer for each broker of its README', () => {
  const text = readFileSync(join(folder, 'README.md'), 'utf8');
  const links = [...text.matchAll(/\]\((src\/from-[a-z]+\.ts)\)/g)].map(([, file]) => file!);
  expect(links).toEqual(['src/from-nats.ts', 'src/from-rabbitmq.ts']);
  for (const file of links) expect(readFileSync(join(folder, file), 'utf8')).toContain('receive(parts');
});

for (const { name, open } of TEST_BROKERS) {
  describe(`the back end behind ${name}`, () => {
    let broker: TestBroker;
    let stack: Stack;
    let port: number;
    let child: ChildProcess;
    const data = mkdtempSync(join(tmpdir(), 'backend-'));

    beforeAll(async () => {
      broker = await open();
      port = await freePort();
      stack = await startStack({
        EVENTS_SCHEME_ID: '',
        EVENT_SINK_URL: broker.url.href,
        EVENT_SINK_SECRET: SINK_SECRET,
      });
      stack.playground.subscribe({ url: `${stack.url}/webhooks` });
      await start();
    });
    afterAll(async () => {
      await end('SIGKILL');
      await stack.close();
      await broker.drop();
    });

    async function start(): Promise<void> {
      const { machine } = stack.playground;
      const { protocol, host, pathname, searchParams } = broker.url;
      child = spawn(process.execPath, ['src/main.ts'], {
        cwd: folder,
        env: {
          PATH: process.env['PATH'],
          BFF_URL: stack.url,
          TOKEN_URL: machine.tokenUrl,
          CLIENT_ID: machine.clientId,
          CLIENT_SECRET: machine.clientSecret,
          EVENT_SINK_SECRET: SINK_SECRET,
          BROKER_URL: name === 'NATS' ? `${protocol}//${host}` : broker.url.href.replace(/\?.*/, ''),
          BROKER_QUEUE: searchParams.get('exchange') ?? pathname.slice(1),
          DATA_DIR: data,
          PORT: String(port),
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(child.stdout!, 'data');
    }

    async function end(signal: NodeJS.Signals): Promise<void> {
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    }

    async function ids(): Promise<string[]> {
      const rows = await (await fetch(`http://127.0.0.1:${port}/applications`)).json();
      return (rows as { id: string }[]).map(({ id }) => id);
    }

    function apply(): string {
      return stack.playground.events.emit('CandidateApplicationCreated').members[
        'candidateApplicationProfileId'
      ]!;
    }

    test('keeps each application once, with what was published while it was down', async () => {
      const applied = Array.from({ length: APPLICATIONS / 2 }, apply);
      await until(async () => (await ids()).length > 2);
      await end('SIGKILL');
      while (applied.length < APPLICATIONS) applied.push(apply());
      await start();
      await until(async () => (await ids()).length === APPLICATIONS, 45_000);
      expect((await ids()).sort()).toEqual(applied.sort());
    });

    test('ends when it is asked to', async () => {
      await end('SIGTERM');
      expect(child.exitCode).toBe(0);
      await start();
    });
  });
}
