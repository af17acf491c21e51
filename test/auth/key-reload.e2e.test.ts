import supertest from 'supertest';
import type { Playground } from '../../playground/src/playground.js';
import {
  getAs,
  askToken,
  type Answer,
  type Json,
  openPlayground,
  serviceEnvironment,
  startStack,
  type Stack,
} from '../support/start-stack.js';
import { json, startJsonServer, type JsonServer } from '../support/json-server.js';
import { jwkOf, rsaKeys, signToken } from '../support/sign-token.js';
import { startProcess } from '../support/start-process.js';
import { until } from '../support/until.js';

const [stolen, fresh] = [rsaKeys(), rsaKeys()];
const STOLEN = jwkOf(stolen, { kid: 'stolen' });
const FRESH = jwkOf(fresh, { kid: 'fresh' });
const OPS_TOKEN = 'ops-token-of-the-key-test';
const AS_OPS = { authorization: `Bearer ${OPS_TOKEN}`, 'x-ops-actor': 'anna' };

function tokenOf(keys: typeof stolen, kid: string): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = { sub: 'amelia', iss: 'https://idp.test', aud: 'bff', iat: now, exp: now + 600 };
  return signToken({ alg: 'RS256', kid }, claims, keys.privateKey);
}

const settings = (url: URL) => ({
  END_USER_JWKS_URL: url.href,
  END_USER_ISSUER: 'https://idp.test',
  END_USER_AUDIENCE: 'bff',
});

describe('a key that was removed from the JWK set', () => {
  let server: JsonServer;
  let stack: Stack;
  beforeAll(async () => {
    server = await startJsonServer(json({ keys: [STOLEN, FRESH] }));
    stack = await startStack({ ...settings(server.url), OPS_TOKEN });
  });
  beforeEach(async () => {
    server.answer = json({ keys: [STOLEN, FRESH] });
    expect((await reload()).status).toBe(200);
  });

  const reload = async (headers: Record<string, string> = AS_OPS): Promise<Answer> =>
    supertest(stack.opsUrl).post('/end-user-keys/reload').set(headers);
  const ask = async (keys: typeof stolen, kid: string): Promise<number> => {
    const hirerId = stack.playground.demo.hirers[0]!.hirerId;
    return (await askToken(stack, tokenOf(keys, kid), { hirerId, scope: 'query:organizations' })).status;
  };
  const wrong = async (): Promise<string[]> => {
    const { body } = await supertest(stack.opsUrl).get('/conditions').set(AS_OPS);
    return body.items.filter(({ active }: Json) => active).map(({ name }: Json) => name);
  };
  const auditOf = async (action: string) =>
    (await supertest(stack.opsUrl).get(`/audit?action=${action}`).set(AS_OPS)).body.items;

  test('verifies nothing once operations have the set reloaded, remembered tokens included', async () => {
    const token = tokenOf(stolen, 'stolen');
    const hirerId = stack.playground.demo.hirers[0]!.hirerId;
    const askAgain = () => askToken(stack, token, { hirerId, scope: 'query:organizations' });
    expect([(await askAgain()).status, (await askAgain()).status]).toEqual([200, 200]);
    server.answer = json({ keys: [FRESH] });
    expect((await reload()).body).toEqual({ fetched: true });
    expect((await askAgain()).status).toBe(401);
    expect(await ask(fresh, 'fresh')).toBe(200);
    expect((await auditOf('keys.reload'))[0]).toMatchObject({
      outcome: 'ok',
      actor: 'anna',
      subject: 'end-user-keys',
    });
  });

  test('stays valid while the set cannot be fetched, which is reported', async () => {
    server.answer = json({ error: 'down' }, 503);
    const refused = await reload();
    expect([refused.status, refused.body.code]).toEqual([502, 'upstream_error']);
    expect(await ask(stolen, 'stolen')).toBe(200);
    for (const status of [502, 502]) expect((await reload()).status).toBe(status);
    expect(await wrong()).toEqual(['identity-provider-failing']); // the third failure in a row
    expect((await auditOf('keys.reload'))[0]).toMatchObject({ outcome: 'upstream_error' });
    server.answer = json({ keys: [FRESH] });
    expect((await reload()).body).toEqual({ fetched: true });
    expect([await ask(stolen, 'stolen'), await ask(fresh, 'fresh')]).toEqual([401, 200]);
    expect(await wrong()).toEqual([]);
  });

  test('is reloaded by holders of the ops token only, and not from the public listener', async () => {
    const before = server.received.length;
    expect((await reload({})).status).toBe(401);
    expect((await supertest(stack.url).post('/end-user-keys/reload').set(AS_OPS)).status).toBe(404);
    expect(server.received).toHaveLength(before);
  });
});

describe('without a JWK set', () => {
  test('there is nothing to reload, and the answer says what to do instead', async () => {
    const stack = await startStack({
      END_USER_JWKS_URL: undefined,
      END_USER_SECRET: 'qN7vXb2Lr9Wc4Kt8Zs1Mf6Hd3Jp5Gy0T',
    });
    const answer = await supertest(stack.opsUrl).post('/end-user-keys/reload');
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
  });
});

describe('SIGHUP', () => {
  let playground: Playground;
  let server: JsonServer;
  beforeAll(async () => {
    playground = await openPlayground();
    server = await startJsonServer(json({ keys: [STOLEN] }));
  });

  test('reloads the JWK set: a removed key verifies nothing, and a set that cannot be fetched is kept', async () => {
    const service = await startProcess(serviceEnvironment(playground, settings(server.url)));
    const status = async (): Promise<number> =>
      (await getAs(service.url, '/hirers', tokenOf(stolen, 'stolen'))).status;
    try {
      expect(await status()).toBe(200);
      server.answer = json({}, 500);
      service.child.kill('SIGHUP');
      await service.printed(/the last one stays in use/);
      expect(await status()).toBe(200);
      server.answer = json({ keys: [FRESH] });
      service.child.kill('SIGHUP');
      await until(async () => (await status()) === 401);
    } finally {
      expect(await service.stop()).toBe(0);
    }
  });
});
