import { loadConfig, type Environment } from '../../src/config/load-config.js';
import { anAuthenticator, staticKeys } from '../support/parts.js';
import { signToken } from '../support/sign-token.js';

const NOW_SECONDS = 1_800_000_000;
const SECRET = 'a secret of thirty-two bytes or more';
const PROXY = '10.1.2.3';
const HEADER = 'x-forwarded-access-token';

function tokenOf(sub: string, claims: object = {}): string {
  const payload = { iss: 'https://idp.test', aud: 'partner-bff', sub, exp: NOW_SECONDS + 60, ...claims };
  return signToken({ alg: 'HS256' }, payload, SECRET);
}

const ada = tokenOf('ada');
const idToken = `Bearer ${tokenOf('ada', { nonce: 'n' })}`;
const bob = `Bearer ${tokenOf('bob')}`;

/** The user of a request from an address, or why it is refused. */
async function userOf(
  headers: Record<string, string>,
  { from = PROXY, method = 'POST', rawHeaders = Object.entries(headers).flat(), settings = {} } = {},
): Promise<string> {
  const { END_USER_TOKEN_HEADER, TRUST_PROXY, CORS_ORIGINS } = loadConfig({
    END_USER_TOKEN_HEADER: 'X-Forwarded-Access-Token',
    TRUST_PROXY: '10.1.0.0/16 fd00::/8 127.0.0.1',
    CORS_ORIGINS: 'https://app.partner.test',
    ...settings,
  });
  const chosen = { END_USER_TOKEN_HEADER, TRUST_PROXY, CORS_ORIGINS, END_USER_COOKIE: 'session' };
  const authenticator = anAuthenticator(
    staticKeys({ END_USER_SECRET: [SECRET] }),
    () => NOW_SECONDS * 1000,
    chosen,
  );
  const request = { method, headers, rawHeaders, socket: { remoteAddress: from } };
  try {
    return (await authenticator.authenticate(request)).subject;
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return code === 'unauthenticated' ? message : code;
  }
}

test.each([
  ['bare', ada],
  ['with its scheme', `Bearer ${ada}`],
  ['with the scheme in other case', `bearer  ${ada}`],
])(
  'a proxy adds the access token, %s, which counts before Authorization and cookie',
  async (_title, value) => {
    expect(await userOf({ [HEADER]: value, authorization: idToken })).toBe('ada');
    expect(await userOf({ [HEADER]: value, authorization: bob, cookie: `session=${tokenOf('bob')}` })).toBe(
      'ada',
    );
  },
);

test.each(['10.1.255.1', '::ffff:10.1.2.3', 'fd00::1', '::ffff:127.0.0.1'])(
  'the proxy %s is one of TRUST_PROXY',
  async (from) => expect(await userOf({ [HEADER]: ada }, { from })).toBe('ada'),
);

test.each(['10.2.0.1', 'fe80::1', '::1', '203.0.113.9', ''])(
  'nobody else may set the header: %j',
  async (from) => {
    expect(await userOf({ [HEADER]: ada }, { from })).toBe('no_token');
    expect(await userOf({ [HEADER]: ada, authorization: bob }, { from })).toBe('bob');
  },
);

test.each<Environment>([{ TRUST_PROXY: '' }, { END_USER_TOKEN_HEADER: '' }])(
  'the header is not read with %j',
  async (settings) => expect(await userOf({ [HEADER]: ada, authorization: bob }, { settings })).toBe('bob'),
);

test('a header that is sent twice, or holds no token, is refused, and Authorization does not take its place', async () => {
  const rawHeaders = [HEADER, ada, 'X-Forwarded-Access-Token', ada];
  expect(await userOf({ [HEADER]: ada, authorization: bob }, { rawHeaders })).toBe('several_tokens');
  expect(await userOf({ [HEADER]: `${ada}, ${ada}`, authorization: bob })).toBe('no_token');
  expect(await userOf({ [HEADER]: 'x'.repeat(9_000), authorization: bob })).toBe('token_too_long');
  expect(await userOf({ [HEADER]: idToken, authorization: bob })).toBe('id_token');
});

test('a session without an access token leaves the header empty', async () => {
  expect(await userOf({ [HEADER]: '', authorization: bob })).toBe('bob');
});

describe('the proxy knows the user by a cookie, so that a write', () => {
  test.each<[string, Record<string, string>]>([
    ['of another origin', { origin: 'https://evil.test' }],
    ['of no origin', { origin: 'null' }],
    ['of our name by plain http', { origin: 'http://bff.partner.test' }],
    ['across sites', { 'sec-fetch-site': 'cross-site' }],
  ])('%s is refused', async (_title, headers) => {
    const sent = { [HEADER]: ada, host: 'bff.partner.test', ...headers };
    expect(await userOf(sent)).toBe('csrf_failed');
    expect(await userOf(sent, { method: 'GET' })).toBe('ada');
  });

  test.each<[string, Record<string, string>]>([
    ['of our own origin', { origin: 'https://bff.partner.test', 'sec-fetch-site': 'same-origin' }],
    ['of a listed one', { origin: 'https://app.partner.test', 'sec-fetch-site': 'same-site' }],
    ['of no browser', {}],
  ])('%s is not', async (_title, headers) => {
    expect(await userOf({ [HEADER]: ada, host: 'bff.partner.test', ...headers })).toBe('ada');
  });
});
