import { DEFAULT_SWITCHES } from '../../playground/src/switches.js';
import {
  ask,
  BANKSIA,
  bearer,
  browserToken,
  CHAO_PHRAYA,
  errorsOf,
  partnerToken,
  post,
  tokenRequest,
  UNRELATED,
  usePlayground,
} from './client.js';

const SELF = '{ self { hirer { id { value } name } } }';
const REQUEST = { hirerId: BANKSIA, scope: 'query:organizations query:ontologies', userId: '42' };

/** interface.md 2.1, 2.2, 4.2, 5 and 7, and the issuer of interface 10. */
describe('the rules of tokens', () => {
  const playground = usePlayground({ client: { clientSecret: 'with:a:colon' } });
  afterEach(() => {
    playground.clock.skew(0);
    Object.assign(playground.switches, DEFAULT_SWITCHES);
  });

  const mint = async (
    body: unknown,
    token = partnerToken(playground),
    headers: Record<string, string> = {},
  ) => post(`${playground.upstreamUrl}/auth/token`, body, { ...bearer(token), ...headers });
  const issue = async (
    body: string | object,
    type = 'application/json',
    headers: Record<string, string> = {},
  ) => post(`${playground.issuerUrl}/oauth/token`, body, { 'Content-Type': type, ...headers });

  test('5.2 issues a partner token for client credentials in JSON, as a form, and with a Basic header', async () => {
    const request = tokenRequest(playground);
    const form = new URLSearchParams(request).toString();
    const basic = Buffer.from(`${request['client_id']}:${request['client_secret']}`).toString('base64');
    const formOnly = new URLSearchParams({
      grant_type: 'client_credentials',
      audience: request['audience'] ?? '',
    }).toString();
    const type = 'application/x-www-form-urlencoded';
    for (const response of [
      await issue(request),
      await issue(form, type),
      await issue(formOnly, type, { Authorization: `Basic ${basic}` }),
    ]) {
      expect([response.status, response.headers['cache-control']]).toEqual([200, 'no-store']);
      const body = response.body as { access_token: string };
      expect(body).toEqual({ access_token: expect.any(String), expires_in: 1800, token_type: 'Bearer' });
      expect((await mint(REQUEST, body.access_token)).status).toBe(200);
    }
  });

  test.each([
    ['a wrong secret', { client_secret: 'wrong' }, 401, 'access_denied'],
    ['an unknown client', { client_id: 'nobody' }, 401, 'access_denied'],
    ['another audience', { audience: 'https://api.example' }, 403, 'access_denied'],
    ['another grant', { grant_type: 'password' }, 403, 'unauthorized_client'],
    ['a scope', { scope: 'query:organizations' }, 400, 'invalid_scope'],
    ['no audience', { audience: undefined }, 400, 'invalid_request'],
  ])('5.2 refuses %s at the issuer', async (_what, change, status, error) => {
    const response = await issue({ ...tokenRequest(playground), ...change });
    expect([response.status, response.body]).toEqual([
      status,
      { error, error_description: expect.any(String) },
    ]);
  });

  test('4.2 issues a browser token for a related hirer, in the form of section 2.2', async () => {
    const response = await mint(REQUEST);
    expect([response.status, response.body]).toEqual([
      200,
      { access_token: expect.any(String), expires_in: 3600, token_type: 'Bearer' },
    ]);
  });

  test.each([
    ['without a token', () => undefined],
    ['with a token nobody issued', () => 'bm9ib2R5'],
    ['with a browser token', () => browserToken(playground)],
    ['with an expired partner token', () => playground.tokens.issuePartner(-1)],
  ])('4.2 refuses a caller %s with 401', async (_what, issued) => {
    const token = issued();
    const headers = token === undefined ? {} : bearer(token);
    const response = await post(`${playground.upstreamUrl}/auth/token`, REQUEST, headers);
    expect([response.status, response.headers['www-authenticate']]).toEqual([401, 'Bearer']);
  });

  test.each([UNRELATED, 'seekAnzPublicTest:organization:seek:nobody', ` ${BANKSIA}`])(
    '4.2 refuses the hirer %s, with which there is no relationship, with 403',
    async (hirerId) => {
      expect((await mint({ ...REQUEST, hirerId })).status).toBe(403);
    },
  );

  test.each([
    ['no hirerId', { ...REQUEST, hirerId: undefined }],
    ['an empty hirerId', { ...REQUEST, hirerId: '' }],
    ['a hirerId above 255 bytes', { ...REQUEST, hirerId: 'h'.repeat(256) }],
    ['no scope', { ...REQUEST, scope: undefined }],
    ['an unknown scope', { ...REQUEST, scope: 'query:everything' }],
    ['two spaces between scopes', { ...REQUEST, scope: 'query:organizations  query:ontologies' }],
    ['scopes as a list', { ...REQUEST, scope: ['query:organizations'] }],
    ['no userId', { ...REQUEST, userId: undefined }],
    ['a number as userId', { ...REQUEST, userId: 42 }],
    ['an address as userId, which is personal data', { ...REQUEST, userId: 'robin@people.example' }],
    ['a name as userId, which is personal data', { ...REQUEST, userId: 'สมชาย' }],
    ['a member that is not known', { ...REQUEST, extra: true }],
    ['a list', [REQUEST]],
    ['text that is not JSON', '{'],
  ])('2.1 refuses %s with 400', async (_what, body) => {
    expect((await mint(body)).status).toBe(400);
  });

  test.each([
    ['a number', '42'],
    ['a number of ten digits', '0491570156'],
    ['a UUID', '7c5b1c1e-0d67-4a53-8f3a-0c1c7a2d9b11'],
    ['base64', 'q83vEjRWeJCrze8SNFZ4kA=='],
    ['base64 with + and /', '+/8gT1z+aQx0/Zk='],
    ['a subject of an identity provider', 'auth0|5f7c8ec7c33c6c004bbafe82'],
  ])('2.1 takes %s as userId', async (_what, userId) => {
    expect((await mint({ ...REQUEST, userId })).status).toBe(200);
  });

  test('4.2 takes application/json only', async () => {
    expect((await mint(JSON.stringify(REQUEST), undefined, { 'Content-Type': 'text/plain' })).status).toBe(
      415,
    );
  });

  test('2.2 states a lifetime that may change from one answer to the next', async () => {
    const lifetimes = [];
    for (const seconds of [3600, 120]) {
      playground.switches.browserTokenSeconds = seconds;
      lifetimes.push(((await mint(REQUEST)).body as { expires_in: number }).expires_in);
    }
    expect(lifetimes).toEqual([3600, 120]);
  });

  test('5.1 answers version without a token and nothing else', async () => {
    expect((await ask(playground, '{ version }', undefined, '')).data).toEqual({
      version: expect.any(String),
    });
    expect(errorsOf(await ask(playground, SELF, undefined, ''))).toEqual([['UNAUTHENTICATED', 'self']]);
  });

  test('5.6 keeps browser tokens out of operations that do not mention them', async () => {
    const candidate = 'query($id: String!) { candidate(id: $id) { documentId { value } } }';
    const id = 'seekAnzPublicTest:candidate:feed:5PGXAHysjZdkQYwZghfL4bRCqvZ7ZM';
    expect(errorsOf(await ask(playground, candidate, { id }, browserToken(playground)))).toEqual([
      ['FORBIDDEN', 'candidate'],
    ]);
    expect((await ask(playground, candidate, { id })).data).toEqual({
      candidate: { documentId: { value: id } },
    });
  });

  test('5.6 checks scopes and relationships on nested fields too, and gives the rest', async () => {
    const profile =
      'query($id: String!) { positionProfile(id: $id) { positionTitle positionOpening { statusCode } } }';
    const id = 'seekAnzPublicTest:positionProfile:jobAd:2782PZfXV';
    expect((await ask(playground, profile, { id })).errors).toBeUndefined();
    const answer = await ask(playground, profile, { id }, browserToken(playground));
    expect(errorsOf(answer)).toEqual([['FORBIDDEN', 'positionProfile.positionOpening']]);
    const branding = 'positionTitle postingInstructions { branding { name } }';
    const [thai] = [...playground.world.positionProfiles.values()].filter(
      ({ hirerId, ad }) => hirerId === CHAO_PHRAYA && ad !== null,
    );
    const partial = await ask(
      playground,
      `query($id: String!) { positionProfile(id: $id) { ${branding} } }`,
      { id: thai?.id },
    );
    expect(errorsOf(partial)).toEqual([['FORBIDDEN', 'positionProfile.postingInstructions.0.branding']]);
    expect(partial.data).toEqual({
      positionProfile: { positionTitle: expect.any(String), postingInstructions: [{ branding: null }] },
    });
  });

  test('5.7 answers self with the hirer of the browser token, with the scope query:organizations only', async () => {
    const answer = await ask(playground, SELF, undefined, browserToken(playground, ['query:organizations']));
    expect(answer.data).toEqual({
      self: { hirer: { id: { value: BANKSIA }, name: 'Banksia Health Group' } },
    });
    expect((await ask(playground, SELF)).data).toEqual({ self: { hirer: null } });
  });

  test('5.8 fails operations with UNAUTHENTICATED once the token has expired, or is revoked', async () => {
    const token = browserToken(playground);
    playground.clock.skew(599_000);
    expect((await ask(playground, SELF, undefined, token)).errors).toBeUndefined();
    playground.clock.skew(600_000);
    const expired = await ask(playground, SELF, undefined, token);
    expect(errorsOf(expired)).toEqual([['UNAUTHENTICATED', 'self']]);
    expect(expired.errors?.[0]?.message).toContain('expired');
    const other = browserToken(playground);
    playground.tokens.revoke({ kind: 'browser' });
    expect(errorsOf(await ask(playground, SELF, undefined, other))).toEqual([['UNAUTHENTICATED', 'self']]);
  });

  test.each([
    ['hiringOrganization', 'hiringOrganization(id: $id) { name }'],
    ['positionOpenings', 'positionOpenings(hirerId: $id) { pageInfo { hasNextPage } }'],
  ])('1 keeps tokens of the playground away from live data: %s', async (field, text) => {
    const id = 'seekAnz:organization:seek:93WyyF1h';
    const live = await ask(playground, `query($id: String!) { ${text} }`, { id });
    expect(errorsOf(live)).toEqual([['UNAUTHENTICATED', field]]);
  });

  test('the identity provider of the demo gives a machine its token with a scope too', async () => {
    const machine = { client_id: 'demo-backend', client_secret: 'demo-backend-secret', scope: 'bff' };
    const body = { grant_type: 'client_credentials', ...machine };
    expect((await post(`${playground.issuerUrl}/demo/token`, body)).body).toHaveProperty('access_token');
  });
});
