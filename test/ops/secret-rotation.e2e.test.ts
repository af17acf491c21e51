import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import supertest from 'supertest';
import { active, only } from './active-conditions.js';
import { newFolder } from '../support/machine.js';
import {
  getAs,
  type Json,
  askToken,
  TEST_KEYS,
  startStack,
  type Stack,
  useStack,
} from '../support/start-stack.js';
import { startScriptedUpstream, tokenOf } from '../support/scripted-upstream.js';
import { until } from '../support/until.js';
import { anEvent, postWebhook, signWebhook, webhookBody } from '../webhooks/send-webhook.js';
import { signToken } from '../support/sign-token.js';

const [OLD_SECRET, NEW_SECRET] = ['qN7vXb2Lr9Wc4Kt8Zs1Mf6Hd3Jp5Gy0T', 'tB8mRk3Vz6Qx1Ln9Wd4Yc7Gs2Hf5Jp0X'];
const SCOPE = 'query:organizations';
const folder = newFolder();

/** Writes a secret's file and gives the settings that name it, and unset the plain one. */
function inFile(name: string, value: string): Record<string, string | undefined> {
  const file = join(folder, name);
  writeFileSync(file, value);
  return { [name]: undefined, [`${name}_FILE`]: file };
}

function signedWith(secret: string): string {
  const exp = Math.floor(Date.now() / 1_000) + 600;
  return signToken({ alg: 'HS256' }, { sub: 'amelia', iss: 'https://idp.test', aud: 'bff', exp }, secret);
}

/** Sends over and over, as so many callers at once, and collects the statuses. */
function underLoad(callers: number, send: () => Promise<number>) {
  const statuses: number[] = [];
  let isOver = false;
  const call = async (): Promise<void> => {
    while (!isOver) statuses.push(await send());
  };
  const calls = Array.from({ length: callers }, call);
  return {
    /** So many more were answered. */
    seen: async (count: number): Promise<void> => {
      const goal = statuses.length + count;
      await until(() => statuses.length >= goal);
    },
    end: async (): Promise<Set<number>> => {
      isOver = true;
      await Promise.all(calls);
      return new Set(statuses);
    },
  };
}

async function reload({ opsUrl }: Stack, token?: string): Promise<Json> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return (await supertest(opsUrl).post('/secrets/reload').set(headers)).body;
}

describe('rotation of the key of end users', () => {
  const stack = useStack({
    END_USER_JWKS_URL: undefined,
    END_USER_ISSUER: 'https://idp.test',
    END_USER_AUDIENCE: 'bff',
    ...inFile('END_USER_SECRET', OLD_SECRET),
    ...inFile('SEALING_KEY', TEST_KEYS.SEALING_KEY),
    RATE_LIMIT_REQUESTS_PER_MINUTE: '0',
  });

  test('under load, with both keys in force for a while, no request fails; then the old key is dead', async () => {
    const [oldToken, newToken] = [signedWith(OLD_SECRET), signedWith(NEW_SECRET)];
    const { hirerId } = stack.playground.demo.hirers[0]!;
    let token = oldToken;
    const { seen, end } = underLoad(8, async () => {
      return (await askToken(stack, token, { hirerId, scope: SCOPE })).status;
    });
    await seen(50);
    inFile('END_USER_SECRET', `${NEW_SECRET}\n${OLD_SECRET}`);
    inFile('SEALING_KEY', `${NEW_SECRET},${TEST_KEYS.SEALING_KEY}`);
    expect(await reload(stack)).toEqual({ changed: ['END_USER_SECRET', 'SEALING_KEY'], refused: [] });
    await seen(50);
    token = newToken;
    await seen(50);
    inFile('END_USER_SECRET', NEW_SECRET);
    await reload(stack);
    await seen(50);
    expect(await end()).toEqual(new Set([200]));
    expect((await askToken(stack, oldToken, { hirerId, scope: SCOPE })).status).toBe(401);
  });

  test.each([
    ['too short', 'short'],
    ['empty', ''],
    ['a sample', 'change-me-change-me-change-me-change-me'],
  ])('a value that is %s is refused by name, and the one before stays', async (_why, value) => {
    inFile('END_USER_SECRET', value);
    const report = await reload(stack);
    expect(report.changed).toEqual([]);
    expect(report.refused).toEqual([
      { name: 'END_USER_SECRET', fault: expect.stringContaining('END_USER_SECRET') },
    ]);
    const { hirerId } = stack.playground.demo.hirers[0]!;
    const answer = await askToken(stack, signedWith(NEW_SECRET), { hirerId, scope: SCOPE });
    expect(answer.status).toBe(200);
    expect(stack.logText()).toContain('a new secret is refused');
    const summary = expect.stringContaining('(END_USER_SECRET)') as string;
    expect(await active(stack)).toMatchObject([{ name: 'secret-refused', summary }]);
    if (value) expect(stack.logText()).not.toContain(value);
  });

  test('each change and each refusal leaves an audit record that names the setting alone', async () => {
    const { body } = await supertest(stack.opsUrl).get('/audit?action=secret.rotate');
    const records = body.items as { subject: string; outcome: string; address: string }[];
    const told = records.map(({ subject, outcome }) => `${subject} ${outcome}`);
    expect(told).toEqual(expect.arrayContaining(['SEALING_KEY ok', 'END_USER_SECRET invalid_request']));
    expect(JSON.stringify(body)).not.toContain(NEW_SECRET);
  });
});

/** An issuer that takes the secrets told, and an upstream that takes the partner tokens it gave. */
async function startPartnerSide(accepted: Set<string>) {
  const upstream = await startScriptedUpstream();
  const partnerTokens = new Set<string>();
  const used: string[] = [];
  upstream.mint = (call) => {
    const access_token = `token-${upstream.mints}`;
    if (call.url === '/auth/token') {
      return partnerTokens.has(tokenOf(call)!) ? { access_token, expires_in: 1 } : undefined;
    }
    const { client_secret: secret } = JSON.parse(call.body) as { client_secret: string };
    if (!accepted.has(secret)) return undefined;
    used.push(secret);
    partnerTokens.add(access_token);
    return { access_token };
  };
  return { url: upstream.url, used, expireAll: () => partnerTokens.clear() };
}

test('the client secret changes under load, and no request fails', async () => {
  const [before, after] = ['client-secret-before', 'client-secret-after'];
  const accepted = new Set([before]);
  const partner = await startPartnerSide(accepted);
  const stack = await startStack({
    UPSTREAM_URL: partner.url,
    ISSUER_TOKEN_URL: `${partner.url}/oauth/token`,
    ...inFile('PARTNER_CLIENT_SECRET', before),
    RATE_LIMIT_REQUESTS_PER_MINUTE: '0',
    RATE_LIMIT_MINTS_PER_MINUTE: '0',
  });
  const token = await stack.playground.signIn('amelia');
  const { hirerId } = stack.playground.demo.hirers[0]!;
  const callers = 8;
  const { seen, end } = underLoad(callers, async () => {
    return (await askToken(stack, token, { hirerId, scope: SCOPE })).status;
  });
  /** A new partner token is had, and no request is under way that met the one before. */
  const renewed = async (): Promise<void> => {
    const goal = partner.used.length + 1;
    partner.expireAll();
    await until(() => partner.used.length >= goal);
    await seen(3 * callers);
  };
  await renewed();
  accepted.add(after);
  inFile('PARTNER_CLIENT_SECRET', after);
  expect((await reload(stack)).changed).toEqual(['PARTNER_CLIENT_SECRET']);
  await renewed();
  accepted.delete(before);
  await renewed();
  expect(await end()).toEqual(new Set([200]));
  expect([partner.used[0], partner.used.at(-1)]).toEqual([before, after]);
});

test('webhooks are accepted without a gap while their secret changes', async () => {
  const [before, after] = ['webhook-secret-before', 'webhook-secret-after'];
  const stack = await startStack({ ...inFile('WEBHOOK_SECRETS', before) });
  const send = async (secret: string): Promise<number> => {
    const body = webhookBody([anEvent()]);
    const headers = { 'content-type': 'application/json', 'seek-signature': signWebhook(body, secret) };
    return (await postWebhook(stack.url, body, headers)).status;
  };
  let signer = before;
  const { seen, end } = underLoad(4, () => send(signer));
  await seen(20);
  inFile('WEBHOOK_SECRETS', `${after},${before}`);
  expect(await reload(stack)).toEqual({ changed: ['WEBHOOK_SECRETS'], refused: [] });
  await seen(20);
  signer = after;
  await seen(20);
  inFile('WEBHOOK_SECRETS', after);
  await reload(stack);
  await seen(20);
  expect(await end()).toEqual(new Set([204]));
  expect(await send(before)).toBe(401);
});

test('a wrong client secret is the operator’s fault, and can be corrected without a restart, and without waiting out the pause', async () => {
  const stack = await startStack({ ...inFile('PARTNER_CLIENT_SECRET', 'wrong-client-secret') });
  const ready = async (): Promise<number> => (await supertest(stack.opsUrl).get('/readyz')).status;
  await only(stack, 'credentials-refused', 'partner-token-missing');
  expect((await active(stack)).map(({ culprit }) => culprit)).toEqual(['operator', 'operator']);
  expect(await ready()).toBe(503);
  inFile('PARTNER_CLIENT_SECRET', stack.playground.settings['PARTNER_CLIENT_SECRET']!);
  expect(await reload(stack)).toEqual({ changed: ['PARTNER_CLIENT_SECRET'], refused: [] });
  await until(async () => (await ready()) === 200);
});

test('a new ops token is in force at once, and the old one no longer', async () => {
  const [before, after] = ['ops-token-before-0123', 'ops-token-after-45678'];
  const stack = await startStack({ HIRER_ACCESS: 'claim', ...inFile('OPS_TOKEN', before) });
  inFile('OPS_TOKEN', after);
  await reload(stack, before);
  const status = async (token: string): Promise<number> =>
    (await getAs(stack.opsUrl, '/audit', token)).status;
  expect([await status(before), await status(after)]).toEqual([401, 200]);
});
