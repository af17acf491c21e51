import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { hostname } from 'node:os';
import supertest from 'supertest';
import { CONFIG_EXIT_CODE, loadConfig } from '../../src/config/load-config.js';
import { refuseTakenPorts, UNAVAILABLE_EXIT_CODE } from '../../src/config/faults/start-faults.js';
import { exitCodeOf, explain } from '../../src/errors/exit-fault.js';
import { newFolder } from '../support/machine.js';
import {
  askToken,
  serviceEnvironment,
  startPlaygroundMode,
  startSilently,
  untilReady,
} from '../support/start-stack.js';
import { json, startJsonServer } from '../support/json-server.js';
import { builtProgram, compiledProgram, runProcess, startProcess } from '../support/start-process.js';
import { KEY } from '../support/parts.js';
import { until } from '../support/until.js';
import { openTcpGate, type TcpGate } from '../support/raw-connection.js';
import { usePlayground } from '../playground/client.js';

const SCOPE = 'query:organizations';

/** Undefined when another process has the port. */
function listen(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

/** Takes a port of which the one before stays free: it is below those that a system hands out by itself. */
async function takePortAfterFreeOne(): Promise<{ taken: Server; port: number }> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const [before, taken] = await Promise.all([listen(port - 1), listen(port)]);
    before?.close();
    if (before && taken) return { taken, port };
    taken?.close();
  }
}

describe('the process', () => {
  const playground = usePlayground();
  let silentServer: TcpGate;
  /** Ends after the ten seconds for which a database server is tried; the other tests run meanwhile. */
  let withoutDatabase: ReturnType<typeof runProcess>;
  beforeAll(async () => {
    silentServer = await openTcpGate(1, '127.0.0.1');
    silentServer.shut();
    const url = `postgres://user:a-password@127.0.0.1:${silentServer.port}/none`;
    withoutDatabase = runProcess({ ...serviceEnvironment(playground), DATABASE_URL: url });
  });
  afterAll(async () => {
    await withoutDatabase;
  });

  test.each([
    ['bundled', builtProgram],
    ['compiled', compiledProgram],
  ])('runs against a separate upstream, with settings alone, %s', async (_how, program) => {
    const environment = { ...serviceEnvironment(playground), HOST: '0.0.0.0', DATA_DIR: newFolder() };
    const service = await startProcess(environment, program());
    expect(service.url).toMatch(/^http:\/\/0\.0\.0\.0:\d+$/); // as it is bound, in the log
    expect(service.opsUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    try {
      await untilReady(service);
      const hirerId = playground.demo.hirers[0]!.hirerId;
      await supertest(service.opsUrl).put(`/memberships/amelia/${encodeURIComponent(hirerId)}`);
      const token = await playground.signIn('amelia');
      const answer = await askToken(service, token, { hirerId, scope: SCOPE });
      expect(answer).toMatchObject({ status: 200 });
      expect(service.logText()).not.toContain(answer.body.access_token);
    } finally {
      expect(await service.stop()).toBe(0);
    }
  });

  test('needs no setting: playground mode prints a curl that gets a browser token; webhooks of the playground arrive, and of nobody else', async () => {
    const service = await startProcess({
      DATA_DIR: newFolder(),
      PORT: '0',
      OPS_PORT: '0',
      PLAYGROUND_PORT: '0',
      LOG_FORMAT: 'json',
    });
    try {
      const command = await service.printed(/^curl .*$/m);
      const [, url, authorization, body] = /^curl \S+ (\S+) -H 'Authorization: (.*?)' .* -d '(.*)'$/.exec(
        command,
      )!;
      const answer = await supertest(url!)
        .post('')
        .set({ authorization: authorization!, 'content-type': 'application/json' })
        .send(body);
      expect(answer).toMatchObject({ status: 200, body: { token_type: 'Bearer' } });
      const page = await supertest(service.url).get('/');
      expect(page.headers['content-type']).toContain('text/html');
      const files = [...page.text.matchAll(/(?:src|href)="(\/demo\/.*?)"/g)].map(([, path]) => path!);
      expect(files).toContain('/demo/main.mjs');
      for (const path of files) expect((await supertest(service.url).get(path)).status).toBe(200);

      const upstream = /http\S+(?=\/ )/.exec(await service.printed(/Playground .*$/m))![0];
      await supertest(upstream).post('/playground/events').send({ type: 'CandidateApplicationCreated' });
      await until(async () => (await supertest(service.opsUrl).get('/events')).body.items.length === 1);
      const strangers = await supertest(service.url).post('/webhooks').send({ events: [] });
      expect(strangers).toMatchObject({ status: 401, body: { code: 'invalid_signature' } });
    } finally {
      expect(await service.stop()).toBe(0);
    }
  });

  test('ends with exit code 69 when ports are taken, and tells all of them, with setting and number', async () => {
    const taken = await Promise.all([1, 2].map(() => startJsonServer(json({}))));
    const [PORT, OPS_PORT] = taken.map(({ url }) => url.port);
    const { taken: issuer, port } = await takePortAfterFreeOne();
    const environment = { DATA_DIR: newFolder(), PORT, OPS_PORT, PLAYGROUND_PORT: String(port - 1) };
    const refused: unknown = await refuseTakenPorts(loadConfig(environment)).catch((error: unknown) => error);
    issuer.close();
    expect(explain(refused, 'x')).toBe(
      'The service cannot start:\n' +
        `  - PORT: port ${PORT} is used by another process; stop that process, or choose another port\n` +
        `  - OPS_PORT: port ${OPS_PORT} is used by another process; stop that process, or choose another port\n` +
        `  - PLAYGROUND_PORT + 1: port ${port} is used by another process; stop that process, or choose another port`,
    );
    expect(exitCodeOf(refused)).toBe(UNAVAILABLE_EXIT_CODE);
  });

  test('a playground starts on 127.0.0.1 where HOST is the name of a machine', async () => {
    const { service } = await startPlaygroundMode({ DATA_DIR: newFolder(), HOST: hostname() });
    expect(service.publicUrl).toMatch(/^http:\/\/127\.0\.0\.1:/);
  });

  test('says in one sentence that Node.js is older than the package allows', async () => {
    const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.4' } })`;
    const preload = ['--import', `data:text/javascript,${encodeURIComponent(older)}`];
    const { code, text } = await runProcess(serviceEnvironment(playground), builtProgram(...preload));
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } };
    const oldest = engines.node.replace(/^>=/, '');
    expect(text).toBe(`The service needs Node.js ${oldest} or later; this is 20.19.4.\n`);
    expect(code).toBe(1);
  });

  test('both listeners take IPv4 and IPv6 at ::', async () => {
    const listening = { ...serviceEnvironment(playground), HOST: '::', OPS_HOST: '::', OPS_TOKEN: KEY };
    const service = await startSilently(listening);
    for (const host of ['127.0.0.1', '[::1]']) {
      const [url, opsUrl] = [service.publicUrl, service.opsUrl].map((one) => one.replace('[::]', host));
      expect((await supertest(opsUrl!).get('/livez')).status).toBe(200);
      expect((await supertest(url!).get('/hirers')).status).toBe(401);
    }
    const { body } = await supertest(service.opsUrl.replace('[::]', '127.0.0.1'))
      .get('/audit?outcome=unauthenticated')
      .set({ authorization: `Bearer ${KEY}` });
    expect(JSON.stringify(body)).not.toContain('::ffff:');
  });

  test('refuses faults in several settings, and an address of another machine, with exit code 78, by name', async () => {
    const environment = { PORT: 'x', OPERATIONS_DIR: '/none', END_USER_SECRET: 'short' };
    const { code, text } = await runProcess(environment);
    expect(code).toBe(CONFIG_EXIT_CODE);
    for (const name of Object.keys(environment)) expect(text).toContain(`- ${name} `);
    const elsewhere = { OPS_HOST: '203.0.113.1', OPS_TOKEN: KEY }; // of the listener that opens first: none is left open
    await expect(startSilently({ ...serviceEnvironment(playground), ...elsewhere })).rejects.toMatchObject({
      exitCode: CONFIG_EXIT_CODE,
      message: expect.stringContaining('- OPS_HOST '),
    });
  });

  test('ends with exit code 0 on SIGTERM while it starts', async () => {
    const DATABASE_URL = `postgres://127.0.0.1:${silentServer.port}/none`;
    const { code, text } = await runProcess(
      { ...serviceEnvironment(playground), DATABASE_URL },
      builtProgram(),
      (output, child) => output.includes('is starting') && child.kill('SIGTERM'),
    );
    expect(text).not.toContain('listening');
    expect(code).toBe(0);
  });

  test('ends with exit code 69 when the database server does not answer, and names the setting alone', async () => {
    const { code, text } = await withoutDatabase;
    expect(text).toContain('DATABASE_URL');
    expect(text).not.toContain('a-password');
    expect(code).toBe(UNAVAILABLE_EXIT_CODE);
  });
});
