import { generateKeyPairSync } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { FETCH_PAUSE_MS, JwksKeys, REFRESH_MS } from '../../src/auth/keys/jwks-keys.js';
import { fetchKeySet } from '../../src/auth/keys/discovery.js';
import type { KeyHint } from '../../src/auth/keys/key-source.js';
import { anAuthenticator, CLIENT_SETTINGS } from '../support/parts.js';
import { json, startJsonServer, type Answerer, type JsonServer } from '../support/json-server.js';
import { until } from '../support/until.js';
import { ecKeys, edKeys, jwkOf, rsaKeys, signToken, type SigningKeys } from '../support/sign-token.js';
import { bearer } from './bearer.js';

const first = rsaKeys();
const second = ecKeys();
const FIRST = jwkOf(first, { kid: 'first', use: 'sig', alg: 'RS256' });
const SECOND = jwkOf(second, { kid: 'second' });
const log = pino({ level: 'silent' });

const START_MS = 1_800_000_000_000;
const clock = { ms: START_MS };
let server: JsonServer;
let source: JwksKeys;

beforeEach(async () => {
  clock.ms = START_MS;
  server = await startJsonServer(json({ keys: [FIRST] }));
  source = new JwksKeys(fetchSet, [], log, () => clock.ms);
});

afterEach(() => {
  jest.restoreAllMocks();
  source.onApplicationShutdown();
});

const fetchSet = () => fetchKeySet(server.url, CLIENT_SETTINGS);
/** The keys that a token of this header is tried with, until `count` of them were. */
async function find(kid: string | undefined, alg: KeyHint['alg'] = 'RS256', count = 1) {
  const found = [];
  for await (const key of source.find({ alg, kid })) if (found.push(key) === count) break;
  return found;
}
const down: Answerer = (_received, response) => void response.destroy();

describe('a JWK set', () => {
  test('is kept current in the background once it was started', async () => {
    await source.start();
    expect(server.received).toHaveLength(1);
    clock.ms += REFRESH_MS;
    await until(() => server.received.length === 2);
  });

  test('is fetched again after five minutes, not before', async () => {
    await source.refreshWhenDue();
    clock.ms += REFRESH_MS - 1;
    await source.refreshWhenDue();
    expect(server.received).toHaveLength(1);
    clock.ms += 1;
    await source.refreshWhenDue();
    expect(server.received).toHaveLength(2);
  });

  test('is used for an hour while its endpoint is down, and no longer', async () => {
    await source.refreshWhenDue();
    server.answer = down;
    for (let minute = 0; minute < 65; minute += 1) {
      clock.ms += 60_000;
      await source.refreshWhenDue();
      await expect(find('first')).resolves.toBeDefined();
    }
    clock.ms += 60_000;
    await expect(find('first')).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('is fetched every two seconds until there is one, and not more often', async () => {
    server.answer = down;
    await source.refreshWhenDue();
    server.answer = json({ keys: [FIRST] });
    clock.ms += 1_900;
    await source.refreshWhenDue();
    await expect(find('first')).rejects.toMatchObject({ code: 'unavailable' });
    clock.ms += 100;
    await expect(find('first')).resolves.toBeDefined();
  });

  test('is fetched for a new key immediately once the pause is over, and the token waits for it', async () => {
    await source.refreshWhenDue();
    clock.ms += FETCH_PAUSE_MS;
    server.answer = json({ keys: [FIRST, SECOND] });
    await expect(find('second', 'ES256')).resolves.toMatchObject([{ asymmetricKeyType: 'ec' }]);
  });

  test.each<[string, Answerer, (index: number) => string]>([
    ['of unknown ids', json({ keys: [FIRST] }), (index) => `random-${index}`],
    ['of a set that cannot be fetched any more', down, () => 'second'],
  ])('2 000 tokens in a minute, %s, cause at most three fetches', async (_what, answer, kidOf) => {
    await source.refreshWhenDue();
    server.answer = answer;
    for (let index = 0; index < 2_000; index += 1) {
      clock.ms += 30;
      await expect(find(kidOf(index))).rejects.toThrow('unknown_key');
    }
    expect(server.received.length).toBeLessThanOrEqual(3);
  });

  test('needed by many tokens at once is fetched once', async () => {
    await Promise.all(Array.from({ length: 100 }, () => find('first')));
    expect(server.received).toHaveLength(1);
  });

  test('gives no key of another algorithm, and every one that may have signed', async () => {
    server.answer = json({
      keys: [FIRST, SECOND, jwkOf(rsaKeys(), { kid: 'third' }), { ...FIRST, e: 'AQ' }],
    });
    await source.refreshWhenDue();
    await expect(find('first', 'PS256')).rejects.toThrow('unknown_key');
    await expect(find('second', 'RS256')).rejects.toThrow('unknown_key');
    await expect(find(undefined, 'ES256')).resolves.toMatchObject([{ asymmetricKeyType: 'ec' }]);
    await expect(find(undefined, 'RS256', 9)).resolves.toHaveLength(2);
    await expect(find('first', 'RS256', 9)).resolves.toHaveLength(1);
  });

  test.each([
    ['a symmetric key', { kty: 'oct', kid: 'first', k: Buffer.alloc(32, 7).toString('base64url') }],
    ['a private key', { ...first.privateKey.export({ format: 'jwk' }), kid: 'first' }],
    ['a key for encryption', jwkOf(first, { kid: 'first', use: 'enc' })],
    ['a key for other operations', jwkOf(first, { kid: 'first', key_ops: ['wrapKey'] })],
    ['a short RSA key', jwkOf(rsaKeys(1024), { kid: 'first' })],
    ['a key of another algorithm', jwkOf(first, { kid: 'first', alg: 'RS512' })],
    ['a key whose id is not text', jwkOf(first, { kid: 1 })],
    ['an RSA key of 16,384 bits', jwkOf(first, { kid: 'first', n: 'x'.repeat(2_731) })],
    ['an RSA key with an exponent of 2,048 bits', jwkOf(first, { kid: 'first', e: jwkOf(rsaKeys())['n'] })],
    ['an RSA key with an exponent of 40 bits', jwkOf(first, { kid: 'first', e: 'AQAAAAE' })],
    ['an RSA key with which anybody can sign', jwkOf(first, { kid: 'first', e: 'AQ' })],
    ['a point that is not on its curve', { ...jwkOf(second), kid: 'first', y: jwkOf(ecKeys())['y'] }],
    ['half a point', { ...jwkOf(second), kid: 'first', y: undefined }],
    ['a point of another curve', { ...jwkOf(second), kid: 'first', crv: 'P-384' }],
    ['a curve that is not a string', { ...jwkOf(second), kid: 'first', crv: ['P-256'] }],
    ['a curve that is a member of all objects', { ...jwkOf(second), kid: 'first', crv: '__proto__' }],
    ['a key for agreement', jwkOf(generateKeyPairSync('x25519'), { kid: 'first' })],
    ['an Ed25519 key that is too long', jwkOf(edKeys(), { kid: 'first', x: 'x'.repeat(44) })],
    ['half a key', { kty: 'RSA', kid: 'first', e: 'AQAB' }],
  ])('skips %s, and uses the rest', async (_title, jwk) => {
    server.answer = json({ keys: [jwk, SECOND] });
    await source.refreshWhenDue();
    await expect(find('first')).rejects.toThrow('unknown_key');
    await expect(find('second', 'ES256')).resolves.toBeDefined();
  });

  test('without a key does not take the place of a good one', async () => {
    await source.refreshWhenDue();
    server.answer = json({ keys: [] });
    await source.fetch();
    await expect(find('first')).resolves.toHaveLength(1);
  });

  const whole = JSON.stringify({ keys: [FIRST] });
  test.each<[string, Answerer]>([
    ['a redirect', (_r, response) => void response.writeHead(302, { location: '/other' }).end(whole)],
    ['an error that holds a set', json({ keys: [FIRST] }, 500)],
    ['HTML', (_r, response) => void response.end('<html>')],
    ['JSON that is not a set', json([FIRST])],
    ['a broken connection', down],
    [
      'a body cut short',
      (_r, response) =>
        void response.writeHead(200, { 'content-length': 9_999 }).write(whole, () => response.destroy()),
    ],
    ['more than 64 KiB', json({ keys: [FIRST], filler: 'x'.repeat(65_536) })],
    [
      'a compressed body',
      (_r, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(whole)),
    ],
  ])('is not accepted from %s', async (_title, answer) => {
    server.answer = answer;
    await source.refreshWhenDue();
    await expect(find('first')).rejects.toMatchObject({ code: 'unavailable' });
    expect(server.received).toHaveLength(1);
  });
});

const [before, after] = [first, rsaKeys()];

function publish(keys: SigningKeys, kid: string | undefined): void {
  server.answer = json({ keys: [jwkOf(keys, { kid })] });
}

/** Who a token is of that was signed with these keys. */
async function verify(keys: SigningKeys, kid: string | undefined, sub = 'ada'): Promise<string> {
  const claims = { iss: 'https://idp.test', aud: 'partner-bff', sub, exp: START_MS / 1_000 + 60 };
  const token = signToken({ alg: 'RS256', kid }, claims, keys.privateKey);
  const authenticator = anAuthenticator(source, () => START_MS);
  return (await authenticator.authenticate(bearer(token))).subject;
}

const forged = expect.objectContaining({ code: 'unauthenticated', message: 'wrong_signature' });

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
    server.answer = down;
    clock.ms += FETCH_PAUSE_MS;
    await expect(verify(after, kid)).rejects.toEqual(forged);
    expect(await verify(before, kid)).toBe('ada');
  });
});

test('a wall clock that is set back an hour does not stretch the pause', async () => {
  source.onApplicationShutdown();
  source = new JwksKeys(fetchSet, [], log);
  publish(before, 'k');
  await source.refreshWhenDue();
  const [wallMs, steadyMs] = [Date.now(), performance.now()];
  jest.spyOn(Date, 'now').mockImplementation(() => wallMs - 3_600_000);
  jest.spyOn(performance, 'now').mockImplementation(() => steadyMs + FETCH_PAUSE_MS + 1);
  publish(after, 'next');
  expect(await verify(after, 'next')).toBe('ada');
});
