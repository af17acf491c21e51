import { randomUUID } from 'node:crypto';
import supertest from 'supertest';
import { askToken, type Answer, type Json, startStack, useStack } from '../support/start-stack.js';

const SCOPE = 'query:organizations';
const AUDIT_MEMBERS = [
  ...['time', 'requestId', 'sessionId', 'action', 'user', 'hirerId', 'scopesAsked', 'scopesGranted'],
  ...['outcome', 'source', 'expiresAt', 'tokenHash'],
];

const stack = useStack({ ALLOWED_SCOPES: 'query:organizations query:ontologies' });
let amelia: string;
let banksia: string;
let chaoPhraya: string;

beforeAll(async () => {
  amelia = await stack.playground.signIn('amelia');
  const [first, , third] = stack.playground.demo.hirers;
  [banksia, chaoPhraya] = [first!.hirerId, third!.hirerId];
});

const mints = (): number => stack.playground.calls.list({ route: 'auth-token' }).length;

describe('POST /auth/token', () => {
  test('a member gets a token that works at the upstream for that hirer', async () => {
    const answer = await askToken(stack, amelia, { hirerId: banksia, scope: SCOPE });
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body).sort()).toEqual(['access_token', 'expires_in', 'token_type']);
    expect(answer.body.token_type).toBe('Bearer');
    expect(answer.body.expires_in).toBeGreaterThan(3_500);
    expect(answer.body.expires_in).toBeLessThanOrEqual(3_600);

    const self = await supertest(stack.playground.upstreamUrl)
      .post('/graphql')
      .set({ authorization: `Bearer ${answer.body.access_token}` })
      .send({ query: '{ self { hirer { id { value } } } }' });
    expect(self.body.data.self.hirer.id.value).toBe(banksia);
  });

  test('every answer forbids caching and sniffing, and carries a request id', async () => {
    const own = '5f0c7a52-2c4b-4f59-9f9a-0c35a3a0b7d1';
    const ok = await askToken(stack, amelia, { hirerId: banksia, scope: SCOPE }, { 'x-request-id': own });
    const refused = await askToken(stack, undefined, {}, { 'x-request-id': 'not a uuid' });
    for (const { headers } of [ok, refused]) {
      expect(headers['cache-control']).toBe('no-store');
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
    expect(ok.headers['x-request-id']).toBe(own);
    expect(refused.headers['x-request-id']).toMatch(/^[\da-f-]{36}$/);
    expect(refused.body.requestId).toBe(refused.headers['x-request-id']);
  });

  test('the same scopes in any order, repeated or not, are one cached token; other scopes are another', async () => {
    const ask = async (scope: string): Promise<string> =>
      (await askToken(stack, amelia, { hirerId: banksia, scope })).body.access_token;
    const both = await ask('query:organizations query:ontologies');
    const before = mints();
    expect(await ask('query:ontologies query:organizations')).toBe(both);
    expect(await ask('query:ontologies query:organizations query:ontologies')).toBe(both);
    expect(await ask('query:ontologies')).not.toBe(both);
    expect(mints() - before).toBe(1);
  });

  test('a token that the upstream refused is replaced once; any other named as refused changes nothing', async () => {
    const body = { hirerId: banksia, scope: 'query:ontologies' };
    const ask = async (refused?: string): Promise<string> =>
      (await askToken(stack, amelia, body, refused === undefined ? {} : { 'x-refused-token': refused })).body
        .access_token;
    const first = await ask();
    expect(await ask('another token')).toBe(first);
    const second = await ask(first);
    expect(second).not.toBe(first);
    expect(await ask(first)).toBe(second);
    expect(await ask(second)).toBe(second); // for 5 s, so that nobody makes it mint at will
  });

  test('a hirer of others and one that does not exist get identical refusals, byte for byte', async () => {
    const before = mints();
    const others = await askToken(stack, amelia, { hirerId: chaoPhraya, scope: SCOPE });
    const nobody = await askToken(stack, amelia, { hirerId: `${banksia}x`, scope: SCOPE });
    expect(others.status).toBe(403);
    expect(others.body.code).toBe('hirer_forbidden');
    expect(withoutId(others)).toEqual(withoutId(nobody));
    expect(mints()).toBe(before);
  });

  test('a scope that is not allowed is refused by name, without a call', async () => {
    const before = mints();
    const answer = await askToken(stack, amelia, {
      hirerId: banksia,
      scope: 'query:organizations query:ad-products',
    });
    expect(answer).toMatchObject({ status: 403, body: { code: 'scope_forbidden' } });
    expect(answer.body.detail).toContain('query:ad-products');
    expect(mints()).toBe(before);
  });

  test.each<[string, unknown, string[]]>([
    ['nothing', '', ['']],
    ['no JSON', '{"hirerId":', ['']],
    ['an array', [], ['']],
    ['a number', '42', ['']],
    ['no members', {}, ['hirerId', 'scope']],
    ['members of other types', { hirerId: 7, scope: ['query:ontologies'] }, ['hirerId', 'scope']],
    ['an empty hirer and scope', { hirerId: '', scope: '' }, ['hirerId', 'scope']],
    ['a hirer id that is too long', { hirerId: 'x'.repeat(256), scope: SCOPE }, ['hirerId']],
    ['a hirer id with a line break', { hirerId: 'a:b\nc', scope: SCOPE }, ['hirerId']],
    ['a hirer id with a lone surrogate', '{"hirerId":"a:\\ud800","scope":"query:ontologies"}', ['hirerId']],
    [
      'eleven scopes',
      { hirerId: 'a:b', scope: Array.from({ length: 11 }, (_, i) => `s${i}`).join(' ') },
      ['scope'],
    ],
    ['a scope with a quote', { hirerId: 'a:b', scope: 'query:"x' }, ['scope']],
    ['a scope with a tab', { hirerId: 'a:b', scope: 'a\tb' }, ['scope']],
    ['a user id of the caller', { hirerId: 'a:b', scope: SCOPE, userId: 'jane@example.com' }, ['userId']],
  ])('a body of %s is refused with every fault', async (_name, body, fields) => {
    const answer = await askToken(stack, amelia, body);
    expect(answer.status).toBe(400);
    expect(answer.headers['content-type']).toContain('application/problem+json');
    expect(answer.body.code).toBe('invalid_request');
    expect(answer.body.errors.map(({ field }: { field: string }) => field).sort()).toEqual(fields);
  });

  test.each<[number, string, Record<string, string>, string]>([
    [415, 'text/plain', { 'content-type': 'text/plain' }, '{}'],
    [415, 'a form', { 'content-type': 'application/x-www-form-urlencoded' }, 'a=b'],
    [415, 'graphql+json', { 'content-type': 'application/graphql+json' }, '{}'],
    [415, 'another character set', { 'content-type': 'application/json; charset=latin1' }, '{}'],
    [415, 'a content encoding', { 'content-encoding': 'gzip' }, '{}'],
    [413, 'too many bytes', {}, JSON.stringify({ hirerId: 'x'.repeat(1_100_000) })],
  ])('%i for %s', async (status, _name, headers, body) => {
    const answer = await askToken(stack, amelia, body, headers);
    expect(answer.status).toBe(status);
    expect(answer.body.code).toBe(status === 413 ? 'payload_too_large' : 'unsupported_media_type');
  });

  test.each(['get', 'put', 'trace'] as const)('%s is refused with the methods allowed', async (method) => {
    const answer = await supertest(stack.url)[method]('/auth/token');
    expect(answer).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
    expect(answer.headers['allow']).toBe('POST');
    const { body } = await supertest(stack.opsUrl).get('/audit?outcome=method_not_allowed');
    expect(body.items[0]).toMatchObject({ action: 'token', requestId: answer.headers['x-request-id'] });
  });

  test.each([
    '/nothing',
    '/auth/token/',
    '/AUTH/TOKEN',
    '/%61uth/token/x',
    '/auth%2ftoken',
    '//auth/token',
    '/metrics',
    '/readyz',
    '/audit',
    '/memberships',
  ])('nothing is found at %s of the public listener', async (path) => {
    expect(await supertest(stack.url).post(path)).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
  });

  test('an address that cannot be decoded is a bad request, not a fault of ours', async () => {
    expect((await supertest(stack.url).get('/hirers%zz')).status).toBe(400);
  });

  test('each request leaves one audit record, allowed or refused, and none holds a token', async () => {
    const [requestId, refusedId] = [randomUUID(), randomUUID()];
    const asked = { hirerId: banksia, scope: SCOPE };
    const { body: token } = await askToken(stack, amelia, asked, { 'x-request-id': requestId });
    await askToken(stack, undefined, {}, { 'x-request-id': refusedId });
    const { body, text } = await supertest(stack.opsUrl).get('/audit');
    const records = body.items.filter((record: Json) => [requestId, refusedId].includes(record.requestId));
    expect(records).toMatchObject([
      { requestId: refusedId, outcome: 'unauthenticated', source: 'none' },
      { requestId, action: 'token', hirerId: banksia, outcome: 'issued', scopesGranted: [SCOPE] },
    ]);
    expect(text).not.toContain(token.access_token);
  });

  test('each audit record has every documented member, null where there is nothing to say', async () => {
    await askToken(stack, amelia, { hirerId: banksia, scope: SCOPE });
    await askToken(stack, undefined, {});
    await supertest(stack.opsUrl).put(`/memberships/elena/${encodeURIComponent(banksia)}`);
    const page = await supertest(stack.opsUrl).get('/audit');
    const lines = (await supertest(stack.opsUrl).get('/audit/export').buffer()).text.trim().split('\n');
    for (const record of [...page.body.items, ...lines.map((line) => JSON.parse(line) as object)]) {
      expect(Object.keys(record as object)).toEqual(expect.arrayContaining(AUDIT_MEMBERS));
    }
    const refused = page.body.items.find(({ outcome }: { outcome: string }) => outcome === 'unauthenticated');
    expect(refused).toMatchObject({ user: null, sessionId: null, scopesGranted: null, expiresAt: null });
  });
});

test('above the request limit a member is refused, though the token is cached; one refused before counts for nothing', async () => {
  const limited = await startStack({ RATE_LIMIT_REQUESTS_PER_MINUTE: '2' });
  const user = await limited.playground.signIn('amelia');
  const asked = [chaoPhraya, banksia, banksia, banksia].map((hirerId) => ({ hirerId, scope: SCOPE }));
  const answers: Answer[] = [];
  for (const one of asked) answers.push(await askToken(limited, user, one));
  expect(answers.map(({ status }) => status)).toEqual([403, 200, 200, 429]);
  expect(answers[3]).toMatchObject({ body: { code: 'rate_limited' } });
  expect(Number(answers[3]!.headers['retry-after'])).toBeGreaterThan(0);
});

function withoutId({ text, body }: Answer): string {
  return text.replace(body.requestId, '');
}
