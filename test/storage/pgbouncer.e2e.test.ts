import 'reflect-metadata';
import pg from 'pg';
import supertest from 'supertest';
import { startPlayground, type Playground } from '../../playground/src/playground.js';
import { ConfigError, loadConfig, type Environment } from '../../src/config/load-config.js';
import type { Service } from '../../src/service.js';
import { PostgresDatabase } from '../../src/storage/postgres/postgres-database.js';
import { askToken } from '../support/ask-token.js';
import { HAS_PGBOUNCER, startPgbouncer, type Pooler } from '../support/pgbouncer.js';
import { runCommand } from '../support/run-command.js';
import { startSilently } from '../support/start-silently.js';
import { serviceEnvironment } from '../support/start-stack.js';
import { TEST_DATABASES, type TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';

const TRANSACTION = ['pool_mode = transaction', 'default_pool_size = 2'];
const IGNORED = 'ignore_startup_parameters = statement_timeout, idle_in_transaction_session_timeout';
const POOLER_FAULT =
  /DATABASE_URL names a connection pooler, .*: set DATABASE_LISTEN_URL to the database server/;
const LISTEN_FAULT = /DATABASE_LISTEN_URL names a connection at which no notice from DATABASE_URL arrives/;

test('DATABASE_LISTEN_URL stands beside DATABASE_URL, never in its place', () => {
  const alone = { DATABASE_LISTEN_URL: 'postgres://127.0.0.1/x' };
  expect(() => loadConfig(alone)).toThrow(/DATABASE_URL is required when DATABASE_LISTEN_URL is set/);
});

for (const { name, open } of TEST_DATABASES.filter(({ isServer }) => isServer && HAS_PGBOUNCER)) {
  describe(`${name} behind PgBouncer`, () => {
    let playground: Playground;
    let database: TestDatabase;
    let direct: string;
    const poolers: Pooler[] = [];
    const services: Service[] = [];

    beforeAll(async () => {
      playground = await startPlayground({ port: 0, size: 5 });
      database = await open();
      direct = database.settings['DATABASE_URL']!;
    });
    afterEach(async () => {
      await Promise.all(services.splice(0).map((service) => service.close()));
      await Promise.all(poolers.splice(0).map((pooler) => pooler.stop()));
    });
    afterAll(async () => {
      await database.drop();
      await playground.close();
    });

    async function pooler(...settings: readonly string[]): Promise<Pooler> {
      const started = await startPgbouncer(direct, ...settings);
      poolers.push(started);
      return started;
    }

    async function start(settings: Environment): Promise<Service> {
      const service = await startSilently(serviceEnvironment(playground, settings));
      services.push(service);
      return service;
    }

    test.each([
      ['as it is', TRANSACTION],
      ['with the parameters of sessions ignored', [...TRANSACTION, IGNORED]],
    ])('in transaction mode, %s, the start without DATABASE_LISTEN_URL is refused', async (_how, lines) => {
      const DATABASE_URL = (await pooler(...lines)).through(direct);
      const refused = await start({ DATABASE_URL }).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(ConfigError);
      expect(String(refused)).toMatch(POOLER_FAULT);
    });

    test.each<[string, (through: string) => string]>([
      ['the pooler', (through) => through],
      ['another database', () => Object.assign(new URL(direct), { pathname: '/postgres' }).href],
    ])('a DATABASE_LISTEN_URL that leads to %s is refused', async (_where, listenUrl) => {
      const DATABASE_URL = (await pooler(...TRANSACTION)).through(direct);
      const settings = { DATABASE_URL, DATABASE_LISTEN_URL: listenUrl(DATABASE_URL) };
      await expect(start(settings)).rejects.toThrow(LISTEN_FAULT);
    });

    test('in session mode nothing else is needed where it ignores the parameters', async () => {
      const DATABASE_URL = (await pooler('pool_mode = session', IGNORED)).through(direct);
      const { opsUrl } = await start({ DATABASE_URL });
      expect((await supertest(opsUrl).get('/memberships')).status).toBe(200);
    });

    test('two replicas work: a revocation at one acts at the other, and nothing is set for others', async () => {
      const through = await pooler(...TRANSACTION);
      const settings = { DATABASE_URL: through.through(direct), DATABASE_LISTEN_URL: direct };
      const [here, there] = await Promise.all([start(settings), start(settings)]);
      const hirerId = playground.demo.hirers[0]!.hirerId;
      const membership = `/memberships/amelia/${encodeURIComponent(hirerId)}`;
      const token = await playground.signIn('amelia');
      const ask = async (): Promise<number> =>
        (await askToken({ url: there.publicUrl }, token, { hirerId, scope: 'query:organizations' })).status;
      await supertest(here.opsUrl).put(membership).expect(200);
      expect(await Promise.all(Array.from({ length: 30 }, ask))).toEqual(Array(30).fill(200));
      await supertest(here.opsUrl).delete(membership).expect(204);
      await until(async () => (await ask()) === 403, 1_000);
      const audited = async () =>
        (await supertest(here.opsUrl).get('/audit?outcome=hirer_forbidden')).body.items;
      await until(async () => (await audited()).length > 0);
      const other = new pg.Client(settings.DATABASE_URL);
      await other.connect();
      for (const setting of [
        'statement_timeout',
        'idle_in_transaction_session_timeout',
        'synchronous_commit',
      ]) {
        const { rows } = await other.query(
          `SELECT setting = reset_val AS is_kept FROM pg_settings WHERE name = '${setting}'`,
        );
        expect(rows).toEqual([{ is_kept: true }]);
      }
      await other.end();
    });

    test('a transaction is bounded by the server, as without a pooler', async () => {
      const through = await pooler(...TRANSACTION);
      const pooled = new PostgresDatabase(through.through(direct), undefined, direct);
      const [bounds] = await pooled.transaction(
        (tx) =>
          tx.query(
            `SELECT current_setting('statement_timeout') AS statement, current_setting('synchronous_commit') AS disk,
               current_setting('idle_in_transaction_session_timeout') AS idle`,
          ),
        'later',
      );
      await pooled.close();
      expect(bounds).toEqual({ statement: '10s', idle: '10s', disk: 'off' });
    });

    test('a pooler that dies makes the service not ready, and the next one ready again', async () => {
      const through = await pooler(...TRANSACTION);
      const { opsUrl } = await start({ DATABASE_URL: through.through(direct), DATABASE_LISTEN_URL: direct });
      const status = async (): Promise<number> => (await supertest(opsUrl).get('/readyz')).status;
      await until(async () => (await status()) === 200);
      await through.stop();
      await until(async () => (await status()) === 503);
      await through.start();
      await until(async () => (await status()) === 200);
      expect((await supertest(opsUrl).get('/memberships')).status).toBe(200);
    });

    test('the doctor says whether notices arrive', async () => {
      const DATABASE_URL = (await pooler(...TRANSACTION)).through(direct);
      const lineWith = async (settings: Environment): Promise<string> => {
        const { out } = await runCommand(['doctor'], serviceEnvironment(playground, settings));
        return out.split('\n').find((line) => /^\w+ +notices /.test(line))!;
      };
      expect(await lineWith({ DATABASE_URL })).toMatch(/^fail +notices .*set DATABASE_LISTEN_URL/);
      expect(await lineWith({ DATABASE_URL, DATABASE_LISTEN_URL: direct })).toMatch(
        /^ok +notices +arrive at DATABASE_LISTEN_URL$/,
      );
      expect(await lineWith({ DATABASE_URL: direct })).toMatch(/^ok +notices +arrive/);
    });
  });
}
