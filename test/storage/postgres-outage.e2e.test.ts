import type { Log } from '../../src/telemetry/log.js';
import { PostgresWatch } from '../../src/storage/postgres/postgres-watch.js';
import pg from 'pg';
import supertest from 'supertest';
import { askToken } from '../support/ask-token.js';
import { anEvent, sendWebhook } from '../webhooks/send-webhook.js';
import { startStack, type Stack } from '../support/start-stack.js';
import { openTcpGate, type TcpGate } from '../support/tcp-gate.js';
import { TEST_DATABASES, type TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';

const DOWN = '"msg":"PostgreSQL is down';
const UP = '"msg":"PostgreSQL answers again';
const LOST = '"msg":"a connection to PostgreSQL was lost';
const SCOPE = 'query:organizations';
const SECRET = 'the secret of the subscription';
/** Twice what it takes here; a statement without an answer would wait for 10 s, and a rollback for 10 more. */
const NOTICED_MS = 8_000;

async function timed<T>(work: Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work;
  expect(performance.now() - startedAt).toBeLessThan(NOTICED_MS);
  return result;
}

test('an outage is logged once, however many queries fail, and so is its end', async () => {
  const lines: string[] = [];
  const log = {
    info: (text: string) => lines.push(text),
    warn: (_err: object, text: string) => lines.push(text),
  };
  const pings = [Promise.reject(new Error('refused'))];
  const watch = new PostgresWatch(() => pings.shift() ?? Promise.resolve(), log as unknown as Log);
  for (let query = 0; query < 100; query += 1) watch.suspect(new Error('connection terminated'));
  await until(async () => lines.length >= 2);
  await watch.close();
  expect(lines).toEqual([
    expect.stringMatching(/^PostgreSQL is down/),
    expect.stringMatching(/^PostgreSQL answers again/),
  ]);
});

for (const { open } of TEST_DATABASES.filter(({ isServer }) => isServer)) {
  describe('a PostgreSQL server', () => {
    let database: TestDatabase;
    let gate: TcpGate;
    let stack: Stack;
    const logged = (sentence: string): number => stack.logText().split(sentence).length - 1;
    const ready = async (): Promise<number> => (await supertest(stack.opsUrl).get('/readyz')).status;

    beforeAll(async () => {
      database = await open();
      const url = new URL(database.settings['DATABASE_URL']!);
      gate = await openTcpGate(Number(url.port || 5432), url.hostname);
      url.host = `127.0.0.1:${gate.port}`;
      stack = await startStack({ DATABASE_URL: url.href, WEBHOOK_SECRETS: SECRET });
    });
    afterAll(async () => {
      await stack.close();
      await gate.close();
      await database.drop();
    });

    test('that ends connections and answers on others is not called down, and is logged once a minute', async () => {
      const url = database.settings['DATABASE_URL']!;
      const admin = new pg.Client({ connectionString: url });
      await admin.connect();
      // without the check's own connection, whose end would rightly be called an outage
      const end =
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid() AND query NOT IN ('', 'SELECT 1')";
      const databaseName = new URL(url).pathname.slice(1);
      await admin.query(end, [databaseName]);
      await until(() => logged(LOST) === 1);
      await until(async () => (await admin.query(end, [databaseName])).rows.length > 0);
      await until(async () => (await ready()) === 200);
      await admin.end();
      expect([logged(LOST), logged(DOWN), logged(UP)]).toEqual([1, 0, 0]);
    });

    test('that falls silent without a word fails what needs it soon and alone, and serves again soon after', async () => {
      const { hirerId } = stack.playground.demo.hirers[0]!;
      const [amelia, bayu] = await Promise.all(
        ['amelia', 'bayu'].map((user) => stack.playground.signIn(user)),
      );
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

    test('that goes away is logged once, without a request, and once more when it answers again', async () => {
      const before = logged(DOWN);
      for (const outage of [before + 1, before + 2]) {
        gate.shut();
        await until(() => logged(DOWN) === outage);
        await until(async () => (await ready()) === 503);
        gate.open();
        await until(() => logged(UP) === outage);
        await until(async () => (await ready()) === 200);
        expect([logged(DOWN), logged(UP)]).toEqual([outage, outage]);
      }
    });
  });
}
