import supertest, { type Test } from 'supertest';
import { SqliteDatabase } from '../../src/storage/sqlite/sqlite-database.js';
import { newFolder } from '../support/folders.js';
import { ecKeys, part, signToken } from '../support/sign-token.js';
import { askToken } from '../support/ask-token.js';
import { startStack, useStack } from '../support/start-stack.js';
import { storedAudit } from '../support/stored.js';
import { TEST_DATABASES } from '../support/test-database.js';

const SECRET = 'hS7Wq1Xo5Bi9Vt3Ru8Pn2Ck6Dj4Mz0Hs';
const EXPECTED = { END_USER_ISSUER: 'https://idp.test', END_USER_AUDIENCE: 'partner-bff' };
const REQUESTS = 600;
/** A flood of a few seconds may cross the end of a minute: twice 60 records, and an aggregate for each of 3 kinds. */
const ROWS_MAX = 2 * (60 + 3);

test('a flood of requests without a valid user leaves a bounded number of rows, which count every request', async () => {
  const DATA_DIR = newFolder();
  const stack = await startStack({ DATA_DIR });
  for (let sent = 0; sent < REQUESTS; sent += 3) {
    await Promise.all([
      askToken(stack, undefined, {}),
      askToken(stack, 'nonsense', {}),
      supertest(stack.url).get('/attachments/x'),
    ]);
  }
  await stack.close(); // writes what it has counted
  const database = new SqliteDatabase(DATA_DIR);
  const records = (await storedAudit(database)).filter(({ user }) => user === undefined);
  await database.close();
  const refused = records.filter(({ action }) => ['token', 'attachment'].includes(action));
  expect(refused.length).toBeLessThanOrEqual(ROWS_MAX);
  expect(refused.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(REQUESTS);
  const aggregate = refused.find(({ action, count }) => action === 'token' && count !== undefined);
  expect(aggregate).toMatchObject({ outcome: 'unauthenticated', address: '127.0.0.1' });
});

describe('a request that is refused for its token', () => {
  const stack = useStack({ END_USER_JWKS_URL: undefined, END_USER_SECRET: SECRET, ...EXPECTED });

  const nowSeconds = Math.floor(Date.now() / 1000);
  const header = { alg: 'HS256', kid: 'a key' };
  const claims = {
    iss: EXPECTED.END_USER_ISSUER,
    aud: EXPECTED.END_USER_AUDIENCE,
    sub: 'eve',
    exp: nowSeconds + 60,
  };
  const forge = (members: object, secret = SECRET): string =>
    signToken(header, { ...claims, ...members }, secret);
  const unsigned = `${part({ alg: 'none', kid: 'a key' })}.${part(claims)}.`;

  test.each([
    ['/auth/token', forge({}, 'another secret of thirty-two bytes'), 'wrong_signature', header],
    ['/auth/token', forge({ exp: nowSeconds - 60 }), 'expired', header],
    ['/auth/token', forge({ aud: 'another-service' }), 'wrong_audience', header],
    ['/auth/token', forge({ iss: 'https://evil.test' }), 'wrong_issuer', header],
    ['/auth/token', unsigned, 'algorithm_not_accepted', { ...header, alg: 'none' }],
    ['/graphql', unsigned, 'algorithm_not_accepted', { ...header, alg: 'none' }],
    ['/graphql', forge({ sub: '' }), 'invalid_sub', header],
    ['/auth/token', `${part('{"oops')}.e30.c2ln`, 'malformed', {}],
    ['/attachments/x', 'nonsense', 'malformed', {}],
  ])('%s: one line tells why, and so does the audit record', async (path, token, reason, names) => {
    const before = stack.logText().length;
    const answer = await send(path, token);
    expect(answer.status).toBe(401);
    expect(answer.text + JSON.stringify(answer.headers)).not.toContain(reason);
    const id = answer.headers['x-request-id']!;
    await supertest(stack.opsUrl).get('/metrics'); // by its answer, the requests before it have ended and are logged
    const lines = stack
      .logText()
      .slice(before)
      .split('\n')
      .filter((line) => line.includes(id));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!)).toMatchObject({ status: 401, code: 'unauthenticated', reason, ...names });
    const { body } = await supertest(stack.opsUrl).get(`/audit?request=${id}`);
    expect(body.items).toMatchObject([
      { outcome: 'unauthenticated', reason, ...names, address: '127.0.0.1' },
    ]);
    expect(body.items[0].user).toBeNull();
    const secrets = token.split('.').filter(({ length }) => length > 7);
    const told = stack.logText() + JSON.stringify(body);
    for (const secret of secrets) expect(told).not.toContain(secret);
  });

  const send = (path: string, token: string): Test => {
    const [request, body] = path.startsWith('/attachments')
      ? [supertest(stack.url).get(path), undefined]
      : [supertest(stack.url).post(path), { query: '{ self { name } }' }];
    return request.set({ authorization: `Bearer ${token}` }).send(body);
  };
});

test.each(TEST_DATABASES)(
  'a refusal is recorded where the guard is built before the audit store: a key that needs no fetch, on $name',
  async ({ open }) => {
    const store = await open();
    const key = { END_USER_JWKS_URL: undefined, END_USER_SECRET: SECRET };
    const stack = await startStack({ ...store.settings, ...key });
    const { headers } = await askToken(stack, 'nonsense', {});
    const { body } = await supertest(stack.opsUrl).get(`/audit?request=${headers['x-request-id']}`);
    await stack.close();
    await store.drop();
    expect(body.items).toMatchObject([{ outcome: 'unauthenticated', reason: 'malformed' }]);
  },
);

test('with a JWK set, an unknown key and a wrong signature have different reasons', async () => {
  const stack = await startStack();
  const { kid } = JSON.parse(
    Buffer.from((await stack.playground.signIn('amelia')).split('.')[0]!, 'base64url').toString(),
  ) as { kid: string };
  const reasons = await Promise.all(
    [kid, 'unknown'].map(async (named) => {
      const token = signToken({ alg: 'ES256', kid: named }, { sub: 'eve' }, ecKeys().privateKey);
      const { headers } = await askToken(stack, token, {});
      const { body } = await supertest(stack.opsUrl).get(`/audit?request=${headers['x-request-id']}`);
      return body.items[0];
    }),
  );
  await stack.close();
  expect(reasons).toMatchObject([
    { reason: 'wrong_signature', kid, alg: 'ES256' },
    { reason: 'unknown_key', kid: 'unknown', alg: 'ES256' },
  ]);
});
