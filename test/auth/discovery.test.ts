import { pino } from 'pino';
import { IssuerKeys, FETCH_PAUSE_MS, JwksKeys } from '../../src/auth/keys/jwks-keys.js';
import { HttpClient } from '../../src/http/outgoing/http-client.js';
import { discoverKeySet } from '../../src/auth/keys/discovery.js';
import { anAuthenticator, CLIENT_SETTINGS } from '../support/parts.js';
import { startIssuer, type Issuer, edKeys, jwkOf, rsaKeys, signToken } from '../support/sign-token.js';
import { json, type Answerer } from '../support/json-server.js';
import { bearer } from './bearer.js';

const SETTINGS = { ...CLIENT_SETTINGS, HTTP_HOSTS: ['localhost.test'] };
const clock = { ms: 0 };
const log = pino({ level: 'silent' });
let ada: Issuer;
let bob: Issuer;
let source: IssuerKeys;

async function open(): Promise<void> {
  const one = async ({ url }: Issuer) => {
    const fetchSet = (): Promise<unknown> => discoverKeySet(url, SETTINGS);
    const keys = new JwksKeys(fetchSet, [], log, () => clock.ms);
    await keys.refreshWhenDue();
    return [url, keys] as const;
  };
  source = new IssuerKeys(new Map([await one(ada), await one(bob)]));
}

beforeEach(async () => {
  clock.ms = 1_800_000_000_000;
  ada = await startIssuer('RS256', rsaKeys());
  bob = await startIssuer('EdDSA', edKeys());
});
afterEach(() => source.onApplicationShutdown());

/** Verifies a token of this `iss`, signed by an issuer. */
function verify(iss: string, issuer: Issuer) {
  const settings = { END_USER_ISSUER: [ada.url, bob.url] };
  const authenticator = anAuthenticator(source, () => clock.ms, settings);
  return authenticator.authenticate(bearer(issuer.sign({ iss, sub: 'one', exp: clock.ms / 1000 + 60 })));
}

const refused = (reason: string) => expect.objectContaining({ code: 'unauthenticated', message: reason });

test('a token is verified with the keys of its own issuer only, and the issuer is part of the user', async () => {
  await open();
  const [one, other] = [await verify(ada.url, ada), await verify(bob.url, bob)];
  expect([one.issuer, other.issuer]).toEqual([ada.url, bob.url]);
  expect(one.subject).toBe(other.subject);
  expect(one.userId).not.toBe(other.userId);
  await expect(verify(ada.url, bob)).rejects.toEqual(refused('unknown_key'));
  await expect(verify(bob.url, ada)).rejects.toEqual(refused('unknown_key'));
  await expect(verify('https://idp.test', ada)).rejects.toEqual(refused('wrong_issuer'));
});

test('keys of the same type at both issuers are not confused either', async () => {
  bob = await startIssuer('RS256', rsaKeys());
  await open();
  expect(await verify(bob.url, bob)).toMatchObject({ issuer: bob.url });
  await expect(verify(ada.url, bob)).rejects.toEqual(refused('wrong_signature'));
  await expect(verify(bob.url, ada)).rejects.toEqual(refused('wrong_signature'));
  expect(await verify(ada.url, ada)).toMatchObject({ issuer: ada.url });
});

test.each([
  ['an issuer that is not listed', 'https://idp.test'],
  ['a listed one without its slash', () => ada.url.slice(0, -1)],
  ['none', undefined],
])('a token that names %s gets nobody’s keys', async (_, issuer) => {
  await open();
  const hint = { alg: 'RS256', kid: 'k', issuer: typeof issuer === 'function' ? issuer() : issuer } as const;
  await expect(source.find(hint).next()).rejects.toThrow('wrong_issuer');
});

test.each<[string, (issuer: Issuer) => object]>([
  ['names another issuer', (issuer) => ({ ...issuer.document, issuer: issuer.url.slice(0, -1) })],
  ['names no JWK set', ({ url }) => ({ issuer: url })],
  ['names a JWK set without TLS', ({ url }) => ({ issuer: url, jwks_uri: 'http://idp.test/keys' })],
  ['is a list', () => []],
])(
  'while a discovery document %s its users get 503, others are served, and it is asked again',
  async (_, spoil) => {
    const { document } = ada;
    ada.document = spoil(ada);
    await open();
    await expect(verify(ada.url, ada)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await verify(bob.url, bob)).toMatchObject({ issuer: bob.url });
    ada.document = document;
    clock.ms += FETCH_PAUSE_MS;
    expect(await verify(ada.url, ada)).toMatchObject({ issuer: ada.url });
  },
);

test.each(['/tenant/.well-known/openid-configuration', '/keys?v=1'])(
  'a redirect of %s to another issuer is not followed',
  async (path) => {
    const { answer } = ada.server;
    ada.server.answer = (received, response) =>
      received.url === path
        ? void response.writeHead(302, { location: `${bob.server.url.origin}${path}` }).end()
        : answer(received, response);
    await open();
    await expect(verify(ada.url, ada)).rejects.toMatchObject({ code: 'unavailable' });
    await expect(verify(ada.url, bob)).rejects.toMatchObject({ code: 'unavailable' });
    expect(bob.server.received).toHaveLength(2); // its own document and keys
  },
);

test('an issuer may move its keys', async () => {
  await open();
  const moved = rsaKeys();
  ada.document = { ...ada.document, jwks_uri: `${bob.server.url.href}moved` };
  const old = bob.server.answer;
  bob.server.answer = ((received, response) =>
    received.url === '/moved'
      ? json({ keys: [jwkOf(moved, { kid: 'k' })] })(received, response)
      : old(received, response)) satisfies Answerer;
  clock.ms += FETCH_PAUSE_MS;
  const signing = {
    ...ada,
    sign: (claims: object) =>
      signToken({ alg: 'RS256', kid: 'k' }, { aud: 'partner-bff', ...claims }, moved.privateKey),
  };
  expect(await verify(ada.url, signing)).toMatchObject({ issuer: ada.url });
});

test('a set is fetched over plain http from a host of HTTP_HOSTS, and from no other', async () => {
  const discover = (): Promise<unknown> => discoverKeySet(ada.url, SETTINGS);
  for (const host of ['other.test', 'localhost.test.evil.test']) {
    ada.document = { ...ada.document, jwks_uri: `http://${host}/keys` };
    await expect(discover()).rejects.toThrow('no https jwks_uri');
  }
  ada.document = { ...ada.document, jwks_uri: 'http://localhost.test/keys' };
  await expect(discover()).rejects.toMatchObject({ kind: 'connection' }); // there is none
});

test('nothing is left of the clients of earlier fetches', async () => {
  const closed = jest.spyOn(HttpClient.prototype, 'close');
  for (let fetch = 0; fetch < 3; fetch += 1) await discoverKeySet(ada.url, SETTINGS);
  expect(closed).toHaveBeenCalledTimes(6);
});
