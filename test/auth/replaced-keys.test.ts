import { pino } from 'pino';
import { FETCH_PAUSE_MS, JwksKeys } from '../../src/auth/keys/jwks-keys.js';
import { KeySetUrl } from '../../src/auth/keys/discovery.js';
import { anAuthenticator, dependencyClients } from '../support/parts.js';
import { json, startJsonServer, type JsonServer } from '../support/json-server.js';
import { jwkOf, rsaKeys, signToken, type SigningKeys } from '../support/sign-token.js';

const NOW_SECONDS = 1_800_000_000;
const before = rsaKeys();
const after = rsaKeys();
const log = pino({ level: 'silent' });

const clock = { ms: 0 };
let server: JsonServer;
let source: JwksKeys;

/** Publishes one key, under this id or none. */
function publish(keys: SigningKeys, kid: string | undefined): void {
  server.answer = json({ keys: [jwkOf(keys, { kid })] });
}

/** Who a token is of that was signed with these keys. */
async function verify(keys: SigningKeys, kid: string | undefined, sub = 'ada'): Promise<string> {
  const claims = { iss: 'https://idp.test', aud: 'partner-bff', sub, exp: NOW_SECONDS + 60 };
  const token = signToken({ alg: 'RS256', kid }, claims, keys.privateKey);
  const authenticator = anAuthenticator(source, () => NOW_SECONDS * 1000);
  const headers = { authorization: `Bearer ${token}` };
  return (await authenticator.authenticate({ method: 'GET', headers, rawHeaders: [] })).subject;
}

const forged = expect.objectContaining({ code: 'unauthenticated', message: 'wrong_signature' });

beforeEach(async () => {
  clock.ms = 1_000_000;
  server = await startJsonServer(json({}));
  source = new JwksKeys(new KeySetUrl(server.url, dependencyClients()), [], log, () => clock.ms);
});
afterEach(async () => {
  jest.restoreAllMocks();
  await source.onApplicationShutdown();
  await server.close();
});

describe.each([
  ['one id', 'k'],
  ['no id', undefined],
])('a key that is replaced under %s', (_title, kid) => {
  beforeEach(async () => {
    publish(before, kid);
    await source.refreshWhenDue();
    publish(after, kid);
  });

  test('verifies tokens as soon as the pause is over, and the old one none', async () => {
    await expect(verify(after, kid)).rejects.toEqual(forged);
    expect(await verify(before, kid)).toBe('ada');
    clock.ms += FETCH_PAUSE_MS;
    expect(await verify(after, kid)).toBe('ada');
    await expect(verify(before, kid)).rejects.toEqual(forged);
  });

  test('is asked for at most once in a pause, however many tokens are forged', async () => {
    const stranger = rsaKeys();
    for (let index = 0; index < 200; index += 1) {
      clock.ms += 300;
      await expect(verify(stranger, kid, `user-${index}`)).rejects.toEqual(forged);
    }
    expect(server.received.length).toBeLessThanOrEqual(3);
  });

  test('stays in use while the set cannot be had', async () => {
    server.answer = (_received, response) => void response.destroy();
    clock.ms += FETCH_PAUSE_MS;
    await expect(verify(after, kid)).rejects.toEqual(forged);
    expect(await verify(before, kid)).toBe('ada');
  });
});

test('a wall clock that is set back an hour stretches neither the pause nor the age of the set', async () => {
  await source.onApplicationShutdown();
  source = new JwksKeys(new KeySetUrl(server.url, dependencyClients()), [], log);
  publish(before, 'k');
  await source.refreshWhenDue();
  const [wallMs, steadyMs] = [Date.now(), performance.now()];
  jest.spyOn(Date, 'now').mockImplementation(() => wallMs - 3_600_000);
  jest.spyOn(performance, 'now').mockImplementation(() => steadyMs + FETCH_PAUSE_MS + 1);
  publish(after, 'next');
  expect(await verify(after, 'next')).toBe('ada');
  expect(source.ageMs).toBeLessThan(FETCH_PAUSE_MS);
});
