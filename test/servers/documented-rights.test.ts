import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { createClient } from 'redis';
import supertest from 'supertest';
import { askToken, startStack } from '../support/start-stack.js';
import { serverOf } from '../support/machine.js';

const DATABASE = serverOf('TEST_DATABASE_URL');
const REDIS = serverOf('TEST_REDIS_URL');
const PAGE = readFileSync('docs/operate.md', 'utf8');
const SQL = /```sql\n([^`]+)```/.exec(PAGE)![1]!;
const ACL = /^ACL SETUSER .+$/m.exec(PAGE)![0];
const NAME = `bff_${randomUUID().replaceAll('-', '').slice(0, 12)}`;
const PASSWORD = randomUUID();

const admin = new pg.Client({ connectionString: DATABASE });
const redis = createClient({ url: REDIS });
beforeAll(() => Promise.all([admin.connect(), redis.connect()]));
afterAll(async () => {
  await admin.query(`DROP DATABASE IF EXISTS ${NAME} WITH (FORCE)`);
  await admin.query(`DROP ROLE IF EXISTS ${NAME}`);
  await redis.sendCommand(['ACL', 'DELUSER', NAME]);
  await Promise.all([admin.end(), redis.close()]);
});

test('with no more rights than docs/operate.md gives it, the service does everything', async () => {
  const own = SQL.replaceAll('bff', NAME).replace('change-this', PASSWORD);
  for (const statement of own.split(';\n').filter(Boolean)) await admin.query(statement);
  await redis.sendCommand(ACL.replace('bff on >change-this', `${NAME} on >${PASSWORD}`).split(' '));
  const stack = await startStack({
    DATABASE_URL: withUser(DATABASE, `/${NAME}`),
    REDIS_URL: withUser(REDIS),
    WEBHOOK_SECRETS: 'a-webhook-secret-of-this-suite',
  });
  const hirerId = stack.playground.demo.hirers[0]!.hirerId;
  const token = await stack.playground.signIn('amelia');
  const body = { hirerId, scope: 'query:organizations' };
  expect((await askToken(stack, token, body)).status).toBe(200);
  expect((await supertest(stack.opsUrl).get('/readyz')).body).toMatchObject({ status: 'ready' });
  expect(stack.logText()).not.toMatch(/Redis refuses|permission denied|NOPERM/);
});

/** The server's address for the role with few rights. */
function withUser(server: string, path?: string): string {
  const url = new URL(server);
  url.username = NAME;
  url.password = PASSWORD;
  if (path) url.pathname = path;
  return url.href;
}
