import pg from 'pg';
import supertest from 'supertest';
import { AuditStore } from '../../src/audit/audit-store.js';
import type { Environment } from '../../src/config/load-config.js';
import { StoreError } from '../../src/errors/store-error.js';
import { openServer } from '../../src/storage/open-database.js';
import { PostgresServer } from '../drills/fleet/own-servers.js';
import { endsByItself, newFolder } from '../support/machine.js';
import { askToken, startStack, untilReady, type Stack } from '../support/start-stack.js';
import { anEvent, sendWebhook } from '../webhooks/send-webhook.js';
import { openTcpGate, type TcpGate } from '../support/raw-connection.js';
import { POSTGRESQL, type TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';

const DOWN = /"level":"error".*"condition":"database-failing"/;
const UP = /"level":"info".*"condition":"database-failing"/;
const SCOPE = 'query:organizations';
const SECRET = 'the secret of the subscription';
/** Far more than the four seconds of silence, and far less than a connection takes that is never answered. */
const NOTICED_MS = 30_000;

async function timed<T>(work: Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work;
  expect(performance.now() - startedAt).toBeLessThan(NOTICED_MS);
  return result;
}

/** A service whose way to its database a test can shut. */
async function startBehindGate(settings: Environment = {}) {
  const database = await POSTGRESQL.open();
  const url = new URL(database.settings['DATABASE_URL']!);
  const gate = await openTcpGate(Number(url.port || 5432), url.hostname);
  url.host = `127.0.0.1:${gate.port}`;
  const stack = await startStack({ DATABASE_URL: url.href, WEBHOOK_SECRETS: SECRET, ...settings });
  return { database, gate, stack };
}

describe('a PostgreSQL server', () => {
  let database: TestDatabase;
  let gate: TcpGate;
  let stack: Stack;
  const logged = (line: RegExp): number => stack.logText().split(line).length - 1;
  const ready = async (): Promise<number> => (await supertest(stack.opsUrl).get('/readyz')).status;

  beforeAll(async () => ({ database, gate, stack } = await startBehindGate()));

  test('that ends every connection is asked on new ones', async () => {
    const url = database.settings['DATABASE_URL']!;
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    const end =
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()';
    await admin.query(end, [new URL(url).pathname.slice(1)]);
    await admin.end();
    await timed(until(async () => (await ready()) === 200));
  });

  test('that falls silent without a word fails what needs it soon and alone, and serves again soon after', async () => {
    const { hirerId } = stack.playground.demo.hirers[0]!;
    const [amelia, bayu] = await Promise.all(['amelia', 'bayu'].map((user) => stack.playground.signIn(user)));
    const ask = async (token: string, scope = SCOPE): Promise<number> =>
      (await askToken(stack, token, { hirerId, scope })).status;
    const event = anEvent();
    const send = async (): Promise<number> => (await sendWebhook(stack.url, SECRET, [event])).status;
    expect(await ask(amelia!)).toBe(200);
    gate.stall();
    const [refused, uncertain] = [timed(ask(bayu!)), timed(send())];
    expect(await refused).toBe(503);
    expect(await uncertain).toBe(503);
    await timed(until(async () => (await ready()) === 503));
    expect([await timed(ask(bayu!)), await timed(send())]).toEqual([503, 503]);
    gate.resume();
    await timed(until(async () => (await ready()) === 200));
    expect(await timed(ask(bayu!))).toBe(403);
    expect(await timed(send())).toBe(204);
    expect(await ask(amelia!)).toBe(200);
  });

  test('that takes no writes is not ready, and serves well within 5 s once its address leads to one that does', async () => {
    const url = new URL(database.settings['DATABASE_URL']!);
    const name = url.pathname.slice(1);
    const admin = new pg.Client({
      connectionString: Object.assign(new URL(url), { pathname: '/postgres' }).href,
    });
    await admin.connect();
    try {
      await admin.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
      await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
      const event = anEvent();
      const send = async (): Promise<number> => (await sendWebhook(stack.url, SECRET, [event])).status;
      await until(async () => (await send()) === 503 && (await ready()) === 503);
      const { body } = await supertest(stack.opsUrl).get('/readyz');
      expect(body.checks.database).toEqual({ state: 'down', reason: 'takes no writes' });
      await admin.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`); // not of open sessions
      await timed(until(async () => (await send()) === 204));
      await timed(until(async () => (await ready()) === 200));
      expect(await Promise.all(Array.from({ length: 20 }, send))).toEqual(Array(20).fill(204));
    } finally {
      await admin.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
      await admin.end();
    }
  });

  test('whose connections die without a word serves again after the statement that found it out', async () => {
    const tenTimes = (ask: () => Promise<number>) => Promise.all(Array.from({ length: 10 }, ask));
    const statuses = () => tenTimes(async () => (await sendWebhook(stack.url, SECRET, [anEvent()])).status);
    const lists = () => tenTimes(async () => (await supertest(stack.opsUrl).get('/audit')).status);
    expect(await lists()).toEqual(Array(10).fill(200)); // every connection of the pool is open
    gate.silence();
    expect((await supertest(stack.opsUrl).get('/memberships')).status).toBe(503);
    expect([...(await timed(lists())), ...(await timed(statuses()))]).toEqual([
      ...Array(10).fill(200),
      ...Array(10).fill(204),
    ]);
    await until(async () => (await ready()) === 200);
  });

  test('that goes away is logged once, without a request, and once more when it answers again', async () => {
    await until(() => logged(UP) === logged(DOWN));
    const before = logged(DOWN);
    gate.shut();
    await until(() => logged(DOWN) > before);
    await until(async () => (await ready()) === 503);
    gate.open();
    await until(async () => (await ready()) === 200);
    await until(() => logged(UP) > before);
    expect([logged(DOWN), logged(UP)]).toEqual([before + 1, before + 1]);
    expect(stack.logText()).not.toMatch(/"level":"warn".*cannot be read; trying again/);
  });
});

const RELOAD = 'SELECT pg_reload_conf()';
const WAIT_FOR_NOBODY = "ALTER SYSTEM SET synchronous_standby_names = 'gone'";

async function openOwnServer(): Promise<PostgresServer> {
  const server = await PostgresServer.open(newFolder());
  endsByItself(() => server.kill());
  return server;
}

test('a server whose commits wait for a standby fails a ping, also where nothing else has waited', async () => {
  const server = await openOwnServer();
  const database = await openServer(new URL(server.url('postgres')), 0);
  await database.ping();
  await server.run(WAIT_FOR_NOBODY, RELOAD);
  await until(() =>
    database.ping().then(
      () => false,
      (error: unknown) => error instanceof StoreError,
    ),
  );
  await database.close();
});

test('a server whose commits wait for a standby is not ready, and is as soon as they do not', async () => {
  const server = await openOwnServer();
  const { url, opsUrl } = await startStack({ DATABASE_URL: server.url('postgres'), WEBHOOK_SECRETS: SECRET });
  const send = async (): Promise<number> => (await sendWebhook(url, SECRET, [anEvent()])).status;
  await untilReady({ opsUrl });
  await server.run(WAIT_FOR_NOBODY, RELOAD);
  await until(async () => {
    const { status, body } = await supertest(opsUrl).get('/readyz');
    return status === 503 && body.checks.database.reason === 'takes no writes';
  });
  expect(await send()).toBe(503);
  await server.run('ALTER SYSTEM RESET synchronous_standby_names', RELOAD);
  await timed(untilReady({ opsUrl }));
  expect(await send()).toBe(204);
});

describe('a service that stops', () => {
  let database: TestDatabase;
  let gate: TcpGate;
  let stack: Stack;
  let ask: () => Promise<number>;

  beforeEach(async () => {
    const settings = { EVENTS_SCHEME_ID: 'seekAnzPublicTest', SHUTDOWN_TIMEOUT_MS: '1500' };
    ({ database, gate, stack } = await startBehindGate(settings));
    const { hirerId } = stack.playground.demo.hirers[0]!;
    const amelia = await stack.playground.signIn('amelia');
    ask = async () => (await askToken(stack, amelia, { hirerId, scope: SCOPE })).status;
    expect(await ask()).toBe(200);
    await stack.service.drain();
  });

  test('is not held up by a database that swallows what it is sent', async () => {
    gate.stall();
    const settled = sendWebhook(stack.url, SECRET, [anEvent()]).then(
      ({ status }) => status,
      () => 'cut',
    );
    await timed(stack.service.close());
    expect(['cut', 503]).toContain(await settled);
  });

  test('leaves the records of the last requests in a database that answers', async () => {
    expect(await Promise.all([ask(), ask()])).toEqual([200, 200]); // a fifth of a second before they are written
    await timed(stack.service.close());
    const { items } = await new AuditStore(database.database).list({ action: 'token' }, 100);
    expect(items).toHaveLength(3);
  });
});
