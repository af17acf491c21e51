import supertest, { type Test } from 'supertest';
import { part, signToken } from '../support/sign-token.js';
import { linesWith, useStack } from '../support/start-stack.js';

const SECRET = 'hS7Wq1Xo5Bi9Vt3Ru8Pn2Ck6Dj4Mz0Hs';
const EXPECTED = { END_USER_ISSUER: 'https://idp.test', END_USER_AUDIENCE: 'partner-bff' };

describe('a request that is refused for its token', () => {
  const stack = useStack({ END_USER_JWKS_URL: undefined, END_USER_SECRET: SECRET, ...EXPECTED });

  const nowSeconds = Math.floor(Date.now() / 1000);
  const header = { alg: 'HS256', kid: 'a key' };
  const claims = {
    iss: EXPECTED.END_USER_ISSUER,
    aud: EXPECTED.END_USER_AUDIENCE,
    sub: 'eve',
    exp: nowSeconds + 60,
  };
  const forge = (members: object, secret = SECRET): string =>
    signToken(header, { ...claims, ...members }, secret);
  const unsigned = `${part({ alg: 'none', kid: 'a key' })}.${part(claims)}.`;

  test.each([
    ['/auth/token', forge({}, 'another secret of thirty-two bytes'), 'wrong_signature', header],
    ['/auth/token', forge({ exp: nowSeconds - 60 }), 'expired', header],
    ['/auth/token', forge({ aud: 'another-service' }), 'wrong_audience', header],
    ['/auth/token', forge({ iss: 'https://evil.test' }), 'wrong_issuer', header],
    ['/auth/token', unsigned, 'algorithm_not_accepted', { ...header, alg: 'none' }],
    ['/graphql', unsigned, 'algorithm_not_accepted', { ...header, alg: 'none' }],
    ['/graphql', forge({ sub: '' }), 'invalid_claim', header],
    ['/auth/token', `${part('{"oops')}.e30.c2ln`, 'malformed', {}],
    ['/attachments/x', 'nonsense', 'malformed', {}],
  ])('%s: one line tells why, and so does the audit record', async (path, token, reason, names) => {
    const answer = await send(path, token);
    expect(answer.status).toBe(401);
    expect(answer.text + JSON.stringify(answer.headers)).not.toContain(reason);
    const id = answer.headers['x-request-id']!;
    const lines = await linesWith(stack, id);
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!)).toMatchObject({ status: 401, code: 'unauthenticated', reason, ...names });
    const { body } = await supertest(stack.opsUrl).get(`/audit?request=${id}`);
    expect(body.items).toMatchObject([
      { outcome: 'unauthenticated', reason, ...names, address: '127.0.0.1' },
    ]);
    expect(body.items[0].user).toBeNull();
    const secrets = token.split('.').filter(({ length }) => length > 7);
    const told = stack.logText() + JSON.stringify(body);
    for (const secret of secrets) expect(told).not.toContain(secret);
  });

  const send = (path: string, token: string): Test => {
    const [request, body] = path.startsWith('/attachments')
      ? [supertest(stack.url).get(path), undefined]
      : [supertest(stack.url).post(path), { query: '{ self { name } }' }];
    return request.set({ authorization: `Bearer ${token}` }).send(body);
  };
});
