/* eslint-disable max-lines -- every way in which a request proves its user */
import type { Algorithm } from '../../src/config/values/public-keys.js';
import type { EndUser } from '../../src/http/end-user.js';
import type { StaticKeys } from '../../src/auth/keys/static-keys.js';
import type { KeyHint, KeySource } from '../../src/auth/keys/key-source.js';
import { UserIds } from '../../src/auth/user-ids.js';
import { loadConfig, type Config } from '../../src/config/load-config.js';
import type { BffError } from '../../src/errors/bff-error.js';
import { problemHeaders } from '../../src/errors/problem.js';
import { anAuthenticator, END_USER_SETTINGS, staticKeys } from '../support/parts.js';
import { signToken } from '../support/sign-token.js';
import { bearer } from './bearer.js';

const SECRET = 'a secret of thirty-two bytes or more';
const START_MS = 1_800_000_000_000;
const SETTINGS = { END_USER_COOKIE: '__Host-session', CORS_ORIGINS: ['https://app.partner.test'] };
const userIds = new UserIds(END_USER_SETTINGS);

/** A key source whose keys can be revoked, and that counts lookups. */
class RevocableKeys implements KeySource {
  generation = 0;
  asked = 0;
  readonly algorithms: readonly Algorithm[] = ['HS256'];
  /** What is found waits for it. */
  gate: Promise<void> | undefined;
  private inner: StaticKeys | undefined = staticKeys({ END_USER_SECRET: [SECRET] });

  async *find(hint: KeyHint) {
    this.asked += 1;
    const { inner } = this;
    if (!inner) throw new Error('no key');
    await this.gate;
    yield* inner.find(hint);
  }

  revoke(): void {
    this.inner = undefined;
    this.generation += 1;
  }
}

function setUp(overrides: Partial<Config> = {}) {
  const clock = { ms: START_MS };
  const keys = new RevocableKeys();
  const authenticator = anAuthenticator(keys, () => clock.ms, { ...SETTINGS, ...overrides });
  return { clock, keys, authenticator };
}

function tokenFor(claims: object = {}): string {
  const payload = { iss: 'https://idp.test', aud: 'partner-bff', sub: 'ada', exp: START_MS / 1000 + 600 };
  return signToken({ alg: 'HS256' }, { ...payload, ...claims }, SECRET);
}

/** A request as Node gives it. */
function request(headers: Record<string, string>, method = 'POST') {
  return { method, headers, rawHeaders: Object.entries(headers).flat() };
}

afterEach(() => jest.restoreAllMocks());

const faultOf = async (work: () => unknown): Promise<BffError> => {
  try {
    await work();
  } catch (error) {
    return error as BffError;
  }
  throw new Error('was not refused');
};
const refusalOf = async (authenticator: ReturnType<typeof anAuthenticator>, token: string): Promise<string> =>
  (await faultOf(() => authenticator.authenticate(bearer(token)))).code;

describe('a verified token', () => {
  test('gives issuer, subject, pseudonym, claims and expiry', async () => {
    const { authenticator } = setUp();
    expect(await authenticator.authenticate(bearer(tokenFor({ team: 'blue' })))).toEqual({
      issuer: 'https://idp.test',
      subject: 'ada',
      userId: userIds.of('https://idp.test', 'ada'),
      claims: expect.objectContaining({ team: 'blue', sub: 'ada' }),
      expiresAt: START_MS + 600_000,
    });
  });

  test('is remembered: the second time no key is looked up and no promise made', async () => {
    const { authenticator, keys } = setUp();
    const user = await authenticator.authenticate(bearer(tokenFor()));
    expect(authenticator.authenticate(bearer(tokenFor()))).toBe(user);
    expect(keys.asked).toBe(1);
  });

  test('is verified again after a minute', async () => {
    const { authenticator, keys } = setUp();
    const steadyMs = performance.now();
    await authenticator.authenticate(bearer(tokenFor()));
    jest.spyOn(performance, 'now').mockReturnValue(steadyMs + 59_000);
    await authenticator.authenticate(bearer(tokenFor()));
    expect(keys.asked).toBe(1);
    jest.spyOn(performance, 'now').mockReturnValue(steadyMs + 61_000);
    await authenticator.authenticate(bearer(tokenFor()));
    expect(keys.asked).toBe(2);
  });

  test('is refused as soon as it expires, though remembered', async () => {
    const { authenticator, clock } = setUp();
    const token = tokenFor({ exp: START_MS / 1000 + 10 });
    await authenticator.authenticate(bearer(token));
    clock.ms += 40_000; // its expiry, and the clock skew
    await expect(refusalOf(authenticator, token)).resolves.toBe('unauthenticated');
  });

  test('is refused on the very next request after its key was removed', async () => {
    const { authenticator, keys } = setUp();
    await authenticator.authenticate(bearer(tokenFor()));
    keys.revoke();
    await expect(refusalOf(authenticator, tokenFor())).resolves.toBe('unauthenticated');
  });

  test('is not remembered if its key was removed while it was verified', async () => {
    const { authenticator, keys } = setUp();
    const gate = Promise.withResolvers<void>();
    keys.gate = gate.promise;
    const underWay = authenticator.authenticate(bearer(tokenFor()));
    await new Promise(setImmediate);
    keys.revoke();
    await refusalOf(authenticator, tokenFor({ sub: 'bob' }));
    gate.resolve();
    await underWay;
    await expect(refusalOf(authenticator, tokenFor())).resolves.toBe('unauthenticated');
  });

  test('says nothing about another token, even one that shares its header and signature', async () => {
    const { authenticator } = setUp();
    const token = tokenFor();
    await authenticator.authenticate(bearer(token));
    const [header, , signature] = token.split('.');
    const other = tokenFor({ sub: 'bob' }).split('.')[1];
    const forged = `${header}.${other}.${signature}`;
    await expect(refusalOf(authenticator, forged)).resolves.toBe('unauthenticated');
  });

  test('has the empty issuer when issuer and audience are not set (playground)', async () => {
    const { authenticator } = setUp({ END_USER_ISSUER: [], END_USER_AUDIENCE: [] });
    const user = await authenticator.authenticate(bearer(tokenFor({ iss: 'anyone', aud: undefined })));
    expect(user).toMatchObject({ issuer: '', userId: userIds.of('', 'ada') });
  });

  test('no more than 5 000 tokens are remembered: of one more, the first is verified again', async () => {
    const { authenticator, keys } = setUp();
    const first = bearer(tokenFor({ jti: '0' }));
    await authenticator.authenticate(first);
    for (let jti = 1; jti <= 5_000; jti += 1) {
      await authenticator.authenticate(bearer(tokenFor({ jti: String(jti) })));
    }
    const { asked } = keys;
    await authenticator.authenticate(first);
    expect(keys.asked).toBe(asked + 1);
  });
});

test.each([
  ['exp', { exp: START_MS / 1000 - 119 }],
  ['nbf', { nbf: START_MS / 1000 + 120 }],
  ['iat', { iat: START_MS / 1000 + 120 }],
])('%s may be as far off as END_USER_CLOCK_SKEW_SECONDS says, and no further', async (_claim, claims) => {
  const verified = (skewSeconds: number) =>
    setUp({ END_USER_CLOCK_SKEW_SECONDS: skewSeconds }).authenticator.authenticate(bearer(tokenFor(claims)));
  expect(await verified(120)).toMatchObject({ subject: 'ada' });
  await expect(verified(118)).rejects.toMatchObject({ code: 'unauthenticated' });
});

describe('END_USER_REQUIRED_CLAIM', () => {
  const kind = (setting: string, claims: object) => {
    const { END_USER_REQUIRED_CLAIM } = loadConfig({ END_USER_REQUIRED_CLAIM: setting });
    return setUp({ END_USER_REQUIRED_CLAIM }).authenticator.authenticate(bearer(tokenFor(claims)));
  };

  test.each<[string, object]>([
    ['uid', { uid: 'u', nonce: 'n', at_hash: 'h' }],
    ['uid', { uid: false, token_use: 'id', typ: 'ID' }],
    ['use=access', { use: 'access' }],
    ['https://idp.test/use=a=b', { 'https://idp.test/use': ['x', 'a=b'] }],
    ['/kind/version=2', { kind: { version: 2 } }],
  ])('%s makes %j an access token, whatever else it holds', async (setting, claims) => {
    expect(await kind(setting, claims)).toMatchObject({ subject: 'ada' });
  });

  test.each<[string, object]>([
    ['uid', {}],
    ['uid', { uid: null, token_use: 'access', typ: 'Bearer' }],
    ['use=access', { use: 'accessory' }],
    ['use=access', { use: { access: true } }],
    ['use=[object Object]', { use: {} }],
    ['use=undefined', {}],
    ['uid', { uid: 'u', typ: 'Refresh' }],
    ['uid', { uid: 'u', token_use: 'refresh' }],
  ])('%s lets no token pass that has %j', async (setting, claims) => {
    await expect(kind(setting, claims)).rejects.toMatchObject({ reason: 'id_token' });
  });
});

describe('the Authorization header', () => {
  const invalid = { 'www-authenticate': 'Bearer error="invalid_token"' };
  const none = { 'www-authenticate': 'Bearer' };
  const token = tokenFor();

  test.each([
    ['no header', {}, [], none],
    ['another scheme', { authorization: 'Basic YWRhOmFkYQ==' }, undefined, none],
    ['a scheme with that prefix', { authorization: `Bearerx ${token}` }, undefined, none],
    ['no token after the scheme', { authorization: 'Bearer ' }, undefined, none],
    ['two tokens', { authorization: `Bearer ${token} ${token}` }, undefined, none],
    ['a header of 64 KiB', { authorization: `Bearer ${'x'.repeat(65_536)}` }, undefined, invalid],
    [
      'the header twice, the first one valid',
      { authorization: `Bearer ${token}` },
      ['Authorization', `Bearer ${token}`, 'AUTHORIZATION', 'Bearer x'],
      invalid,
    ],
  ])('%s is refused', async (_title, headers, rawHeaders, challenge) => {
    const { authenticator, keys } = setUp();
    const sent = request(headers);
    const fault = await faultOf(() =>
      authenticator.authenticate({ ...sent, rawHeaders: rawHeaders ?? sent.rawHeaders }),
    );
    expect(fault.code).toBe('unauthenticated');
    expect(problemHeaders(fault)).toEqual(challenge);
    expect(keys.asked).toBe(0);
  });

  test.each(['bearer', 'BEARER', 'Bearer '])('the scheme may be written %p', async (scheme) => {
    const { authenticator } = setUp();
    expect(await authenticator.authenticate(request({ authorization: `${scheme} ${token}` }))).toBeDefined();
  });
});

describe('the cookie', () => {
  const cookie = `other=1; __Host-session=${tokenFor()}`;
  const own = { cookie, host: 'bff.partner.test', 'x-csrf': '1' };
  const authenticate = (headers: Record<string, string>, method = 'POST', settings = {}): Promise<EndUser> =>
    Promise.resolve().then(() => setUp(settings).authenticator.authenticate(request(headers, method)));

  test.each([
    ['a read needs nothing else', { cookie }, 'GET'],
    ['nor does HEAD', { cookie }, 'HEAD'],
    ['a write from our own origin', { ...own, origin: 'https://bff.partner.test' }, 'POST'],
    ['a write from a listed origin', { ...own, origin: 'https://app.partner.test' }, 'POST'],
    [
      'a write from a listed origin of another site',
      { ...own, origin: 'https://app.partner.test', 'sec-fetch-site': 'cross-site' },
      'DELETE',
    ],
  ])('%s', async (_title, headers, method) => {
    await expect(authenticate(headers, method)).resolves.toMatchObject({ subject: 'ada' });
  });

  test.each([
    ['without X-CSRF', { cookie, host: own.host, origin: 'https://bff.partner.test' }],
    ['with another X-CSRF', { ...own, 'x-csrf': 'true', origin: 'https://bff.partner.test' }],
    ['without Origin', own],
    ['from origin null', { ...own, origin: 'null' }],
    ['from our own name by plain http', { ...own, origin: 'http://bff.partner.test' }],
    ['from another origin', { ...own, origin: 'https://evil.test' }],
    ['from a sibling domain', { ...own, origin: 'https://blog.partner.test' }],
    ['from a listed name with a suffix', { ...own, origin: 'https://app.partner.test.evil.test' }],
    ['from a listed name as user name', { ...own, origin: 'https://app.partner.test@evil.test' }],
    ['from a listed name by plain http', { ...own, origin: 'http://app.partner.test' }],
    ['from another port of a listed name', { ...own, origin: 'https://app.partner.test:8443' }],
  ])('a write %s is refused', async (_title, headers) => {
    await expect(authenticate(headers)).rejects.toMatchObject({ code: 'csrf_failed' });
  });

  test.each([undefined, 'other', 'absent'])('is not read when END_USER_COOKIE names %p', async (name) => {
    const authenticated = authenticate({ cookie }, 'GET', { END_USER_COOKIE: name });
    await expect(authenticated).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  test('yields to the header, which needs no defence', async () => {
    const authorization = `Bearer ${tokenFor({ sub: 'bob' })}`;
    await expect(authenticate({ cookie, authorization })).resolves.toMatchObject({ subject: 'bob' });
  });

  test('does not make up for an invalid header', async () => {
    await expect(authenticate({ cookie, authorization: 'Bearer x' }, 'GET')).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  });
});
