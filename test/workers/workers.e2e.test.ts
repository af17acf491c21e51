import { connect, createServer, type AddressInfo } from 'node:net';
import supertest from 'supertest';
import { startPlayground, type Playground } from '../../playground/src/playground.js';
import type { Answer } from '../support/ask-token.js';
import { HAS_PGBOUNCER, startPgbouncer } from '../support/pgbouncer.js';
import { builtProgram, compiledProgram, runProcess } from '../support/start-process.js';
import { serviceEnvironment } from '../support/start-stack.js';
import { until } from '../support/until.js';
import { BOUND_MS, NOWHERE, STOP_BOUNDS, TwoWorkers, WORKER_DATABASES } from './two-workers.js';

const TOKEN_REQUESTS = /bff_http_request_duration_seconds_count\{[^}]*route="\/auth\/token"[^}]*\}/;

for (const { name, open } of WORKER_DATABASES) {
  describe(`two workers on ${name} and Redis`, () => {
    let two: TwoWorkers;

    beforeAll(async () => {
      two = await TwoWorkers.open(open);
    });
    afterEach(() => two.end());
    afterAll(() => two.close());

    test.each([
      ['the bundle', builtProgram],
      ['npm start', compiledProgram],
    ])('%s: both answer, and the metrics are those of all requests', async (_name, program) => {
      await two.start({}, program());
      expect(await two.askTimes(20)).toEqual(Array(20).fill(200));
      expect(await two.issued()).toBe(20);
      expect(await two.metric(TOKEN_REQUESTS)).toBe(20);
      expect(await two.metric(/bff_build_info\{.*\}/)).toBe(1);
      expect(await two.metric(/bff_partner_token_remaining_seconds/)).toBeLessThanOrEqual(
        await two.metric(/bff_partner_token_lifetime_seconds/),
      );
      await until(() => two.answering().length === 2);
      const { body } = await supertest(two.service.opsUrl).get('/readyz').expect(200);
      expect(body).toMatchObject({
        status: 'ready',
        checks: { database: { state: 'up' }, workers: { state: 'up' } },
      });
      expect(two.service.logText().match(/"msg":"listening"/g)).toHaveLength(1);
      expect(await two.service.stop()).toBe(0);
    });

    /** Ends the membership and begins it again; both workers have answered each time. */
    async function changeMembership(): Promise<void> {
      expect(await two.askTimes(10)).toEqual(Array(10).fill(200));
      await supertest(two.service.opsUrl).delete(two.membership).expect(204);
      await until(async () => (await two.askTimes(10)).every((status) => status === 403));
      expect(await two.askTimes(20)).toEqual(Array(20).fill(403));
      await supertest(two.service.opsUrl).put(two.membership).expect(200);
      await until(async () => (await two.askTimes(10)).every((status) => status === 200));
      await until(() => two.answering().length === 2);
    }

    test('a membership that ends has ended in both; a refused token is replaced once for both', async () => {
      await two.start();
      await changeMembership();
      const refused = (await two.ask()).body.access_token as string;
      const headers = { 'x-refused-token': refused };
      const answers = await Promise.all(Array.from({ length: 20 }, () => two.ask(headers)));
      const tokens = new Set(answers.map(({ body }) => body.access_token as string));
      expect([tokens.size, tokens.has(refused)]).toEqual([1, false]);
    });

    if (HAS_PGBOUNCER) {
      test('behind PgBouncer in transaction mode, a membership that ends has ended in both', async () => {
        const direct = two.database.settings['DATABASE_URL']!;
        const pooler = await startPgbouncer(direct, 'pool_mode = transaction', 'default_pool_size = 2');
        await two.start({ DATABASE_URL: pooler.through(direct), DATABASE_LISTEN_URL: direct });
        await changeMembership();
        await two.service.stop();
        await pooler.stop();
      });
    }

    test('one that does not answer makes the service not ready, and is killed at the stop in time', async () => {
      await two.start(STOP_BOUNDS);
      two.signal(2, 'SIGSTOP');
      const { body } = await supertest(two.service.opsUrl).get('/readyz').expect(503);
      expect(body.checks.workers).toEqual({ state: 'down', reason: 'worker 2 of 2 does not answer' });
      await supertest(two.service.opsUrl).post('/secrets/reload').expect(503);
      await supertest(two.service.opsUrl).put('/log-level').send({ level: 'debug' }).expect(503);
      const startedAt = performance.now();
      expect(await two.service.stop()).toBe(0);
      expect(performance.now() - startedAt).toBeLessThan(BOUND_MS);
    });

    test('SIGTERM lets the requests of both finish, and cuts what hangs within the bound', async () => {
      await two.start(STOP_BOUNDS);
      await two.ask();
      two.playground.faults.add({ route: 'graphql', delayMs: 700, times: 4 });
      two.playground.faults.add({ route: 'graphql', hang: true, times: 0, after: 4 });
      const graphql = (query: string): Promise<Answer> =>
        supertest(two.service.url)
          .post('/graphql')
          .set({ authorization: `Bearer ${two.token}`, 'x-hirer-id': two.hirerId })
          .send({ query });
      const slow = Promise.all([1, 2, 3, 4].map((n) => graphql(`{ a${n}: version }`)));
      await until(() => two.playground.faults.list().length === 1);
      const hanging = [5, 6].map((n) => graphql(`{ a${n}: version }`).catch((error: Error) => error));
      const startedAt = performance.now();
      const code = await two.service.stop();
      expect(performance.now() - startedAt).toBeLessThan(BOUND_MS);
      expect(code).toBe(0);
      expect((await slow).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      await Promise.all(hanging);
      expect(two.service.logText().match(/"worker":[12],"msg":"stopped"/g)).toHaveLength(2);
      expect(two.service.logText().trim()).toMatch(/"msg":"stopped"\}$/);
    });

    test('what an operator changes is changed in both', async () => {
      await two.start();
      const fetched = two.playground.calls.list({ route: 'jwks' }).length;
      const { body } = await supertest(two.service.opsUrl).post('/end-user-keys/reload').expect(200);
      expect(body).toMatchObject({ fetched: true, dropped: false });
      expect(two.playground.calls.list({ route: 'jwks' }).length).toBe(fetched + 2);
      two.service.child.kill('SIGHUP');
      await until(() => two.playground.calls.list({ route: 'jwks' }).length === fetched + 4);
      await supertest(two.service.opsUrl).put('/log-level').send({ level: 'silent' }).expect(200);
      await two.askTimes(6);
      await two.service.stop();
      expect(two.answering()).toEqual([]);
    });

    test('connections above CONNECTIONS_MAX are closed by the worker that got them', async () => {
      await two.start({ CONNECTIONS_MAX: '10' });
      const port = Number(new URL(two.service.url).port);
      const open = new Set(Array.from({ length: 24 }, () => connect(port, '127.0.0.1')));
      for (const socket of open) socket.on('error', () => undefined).once('close', () => open.delete(socket));
      const refused = (): Promise<number> => two.metric(/bff_connections_refused_total(?:\{.*\})?/);
      await until(async () => open.size <= 20 && open.size + (await refused()) === 24);
      expect(open.size).toBeGreaterThanOrEqual(10);
      for (const socket of open) socket.destroy();
    });

    test('a port that is taken ends the start at once with code 69, said once', async () => {
      const other = createServer().listen(0, '127.0.0.1');
      await new Promise((resolve) => other.once('listening', resolve));
      const PORT = String((other.address() as AddressInfo).port);
      const { code, text } = await runProcess({ ...two.environment, PORT });
      other.close();
      expect(code).toBe(69);
      expect(text.match(/PORT names a port that another process uses/g)).toHaveLength(1);
    });
  });
}

let playground: Playground;
beforeAll(async () => {
  playground = await startPlayground({ port: 0, size: 5 });
});
afterAll(() => playground.close());

test.each([
  [{ WORKERS: '2' }, /WORKERS needs DATABASE_URL and REDIS_URL: processes share .* or WORKERS to 1/],
  [{ WORKERS: 'auto' }, /WORKERS needs DATABASE_URL and REDIS_URL/],
  [{ WORKERS: '2', DATABASE_URL: NOWHERE.DATABASE_URL }, /WORKERS needs REDIS_URL/],
  [{ ...NOWHERE, WORKERS: '0' }, /WORKERS must be a whole number from 1 to 128, or auto/],
  [{ ...NOWHERE, WORKERS: '2', BODY_LIMIT_BYTES: 'x' }, /BODY_LIMIT_BYTES must be/],
])('%j ends the start with code 78, said once', async (settings, sentence) => {
  const { code, text } = await runProcess({ ...serviceEnvironment(playground), ...settings });
  expect(code).toBe(78);
  expect(text).toMatch(sentence);
  expect(text.match(/The configuration is not valid/g)).toHaveLength(1);
});
