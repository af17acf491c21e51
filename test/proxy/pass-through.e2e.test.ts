import supertest from 'supertest';
import { BANKSIA, CHAO_PHRAYA, NUSANTARA, useProxyStack } from './proxy-stack.js';

const SELF = { query: '{ self { hirer { id { value } name } } }' };

const stack = useProxyStack();

describe('POST /graphql', () => {
  test('an operation is answered for the hirer of X-Hirer-Id, with extensions', async () => {
    const banksia = await stack.ask(SELF);
    expect(banksia.status).toBe(200);
    expect(banksia.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(banksia.body.data.self.hirer.id.value).toBe(BANKSIA);
    expect(banksia.body.extensions.requestLatency).toEqual(expect.any(Number));
    const nusantara = await stack.ask(SELF, { 'x-hirer-id': NUSANTARA });
    expect(nusantara.body.data.self.hirer.id.value).toBe(NUSANTARA);
  });

  test('the log of a refusal says that a back end is listed in MACHINE_SUBJECTS, the answer does not', async () => {
    const { text } = await stack.ask(SELF, { 'x-hirer-id': CHAO_PHRAYA });
    expect(text).not.toContain('MACHINE_SUBJECTS');
    expect(stack.logText()).toContain('a back end is listed in MACHINE_SUBJECTS');
  });

  const GRAPHQL_TYPE = 'application/graphql-response+json';
  const ASKING = { accept: `${GRAPHQL_TYPE}, application/json;q=0.9` };
  const BAD = { query: 'no GraphQL {' };
  test.each<[string, unknown, Record<string, string>, number, string | undefined]>([
    ['data', SELF, {}, 200, undefined],
    ['errors of the upstream', { query: '{ nothing }' }, {}, 200, undefined],
    ['a refusal', SELF, { 'x-hirer-id': CHAO_PHRAYA }, 403, 'hirer_forbidden'],
    ['a refusal before the body is read', SELF, { authorization: 'Bearer x' }, 401, 'unauthenticated'],
    ['a body of another type', SELF, { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
    ['an array', [SELF, BAD], {}, 200, undefined],
    ['an array that is refused as a whole', [], {}, 400, 'invalid_request'],
  ])('%s comes in the media type that Accept names', async (_, body, headers, status, reason) => {
    const newer = await stack.ask(body, { ...headers, ...ASKING });
    const older = await stack.ask(body, { ...headers, accept: '*/*' });
    expect([newer.status, older.status]).toEqual([status, status]);
    expect(newer.headers['content-type']).toBe(`${GRAPHQL_TYPE}; charset=utf-8`);
    expect(older.headers['content-type']).toBe('application/json; charset=utf-8');
    const refusal = JSON.parse(newer.text) as { errors?: { extensions: { reason?: string } }[] };
    expect(refusal.errors?.[0]?.extensions.reason).toBe(reason);
  });

  test('an item that is refused alone has the code of the error table as its reason', async () => {
    const { body } = await stack.ask([SELF, BAD]);
    expect(body[0].data.self.hirer.id.value).toBe(BANKSIA);
    expect(body[1].errors[0].extensions).toEqual({
      code: 'BAD_USER_INPUT',
      reason: 'invalid_request',
      requestId: expect.any(String),
    });
  });

  test('a hirer the user does not belong to and one that does not exist get the same refusal, without an upstream call', async () => {
    const before = stack.calls('graphql');
    const requestId = '0b0d6a52-2c4b-4f59-9f9a-0c35a3a0b7d1';
    const [foreign, unknown] = await Promise.all(
      [CHAO_PHRAYA, 'seekAnzPublicTest:organization:seek:none'].map((id) =>
        stack.ask(SELF, { 'x-hirer-id': id, 'x-request-id': requestId }),
      ),
    );
    expect(foreign!.status).toBe(403);
    expect(foreign!.body.errors[0].extensions).toEqual({
      code: 'FORBIDDEN',
      reason: 'hirer_forbidden',
      requestId,
    });
    expect(foreign!.text).toBe(unknown!.text);
    expect(stack.calls('graphql')).toBe(before);
  });

  test('a user of one hirer may leave X-Hirer-Id out; a user of several may not', async () => {
    const chanida = await stack.playground.signIn('chanida');
    const one = await stack.ask(SELF, { authorization: `Bearer ${chanida}`, 'x-hirer-id': undefined });
    expect(one.body.data.self.hirer.id.value).toBe(CHAO_PHRAYA);
    const several = await stack.ask(SELF, { 'x-hirer-id': undefined });
    expect([several.status, several.body.errors[0].extensions.code]).toEqual([400, 'BAD_USER_INPUT']);
    const dora = await stack.playground.signIn('dora');
    const none = await stack.ask(SELF, { authorization: `Bearer ${dora}`, 'x-hirer-id': undefined });
    expect([none.status, none.body.errors[0].extensions.code]).toEqual([403, 'FORBIDDEN']);
  });

  test.each<[string, unknown, number?, string?]>([
    ['an empty body', ''],
    ['no JSON', '{'],
    ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])],
    ['a text', '"x"'],
    ['an empty array', []],
    ['no query', {}],
    ['a query that is not a text', { query: 1 }],
    ['variables that are a text', { query: '{ version }', variables: '{}' }],
    ['a member given twice', '{"query":"{version}","query":"{self{hirer{name}}}"}'],
    ['a text that does not parse', { query: '{ self {' }],
    ['a subscription', { query: 'subscription { x }' }],
    ['several operations and no name', { query: 'query A { version } query B { version }' }],
    ['documentId and query', { query: '{ version }', documentId: 'x' }],
    ['an unknown documentId', { documentId: 'x' }],
    ['eleven items', Array.from({ length: 11 }, () => SELF), 413, 'BATCH_LIMIT_EXCEEDED'],
    ['a large body', { query: '{ version }', x: 'x'.repeat(1_100_000) }, 413, 'PAYLOAD_TOO_LARGE'],
  ])('%s is refused before the upstream', async (_, body, status = 400, code = 'BAD_USER_INPUT') => {
    const before = stack.calls('graphql');
    const answer = await stack.ask(body);
    expect([answer.status, answer.body.errors[0].extensions.code]).toEqual([status, code]);
    expect(Object.keys(answer.body)).toEqual(['errors']);
    expect(answer.headers['x-request-id']).toBe(answer.body.errors[0].extensions.requestId);
    expect(stack.calls('graphql')).toBe(before);
  });

  test('other content types are 415, other methods 405 with Allow, in the GraphQL shape', async () => {
    const typed = await stack.ask('{}', { 'content-type': 'text/plain' });
    expect([typed.status, typed.body.errors[0].extensions.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    const got = await supertest(stack.url).get('/graphql?query={version}');
    expect([got.status, got.headers['allow']]).toEqual([405, 'POST']);
    expect(got.body.errors[0].extensions.code).toBe('METHOD_NOT_ALLOWED');
  });

  test('partial data and errors of the upstream pass unchanged', async () => {
    const answer = await stack.ask({
      query:
        'query ($a: String!, $b: String!) { own: hiringOrganization(id: $a) { name } foreign: hiringOrganization(id: $b) { name } }',
      variables: { a: BANKSIA, b: NUSANTARA },
    });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual({ own: { name: 'Banksia Health Group' }, foreign: null });
    expect(answer.body.errors).toMatchObject([{ path: ['foreign'], extensions: { code: 'FORBIDDEN' } }]);
  });

  test('only the documented headers are passed on, in both directions', async () => {
    const session = '7c5b1c1e-0d67-4a53-8f3a-0c1c7a2d9b11';
    const answer = await stack.ask(
      { query: 'query ($id: String!) { location(id: $id) { contextualName } }', variables: { id: 'x' } },
      { 'accept-language': 'th', 'x-session-id': session, cookie: 'a=b', 'x-forwarded-for': '1.1.1.1' },
    );
    expect(answer.headers['content-language']).toBe('th-TH');
    const [last] = stack.playground.calls.list({ sessionId: session, route: 'graphql' });
    expect(last).toMatchObject({ acceptLanguage: 'th', sessionId: session, token: 'browser' });
    expect(last?.userAgent).toMatch(/^partner-bff\//);
  });
});
