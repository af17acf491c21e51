import supertest from 'supertest';
import { request } from 'undici';
import { askToken, type Answer, startStack, useStack } from '../support/start-stack.js';

const ORIGIN = 'https://app.partner.test';
const OPS_TOKEN = 'an ops token of enough length';

const stack = useStack({
  CORS_ORIGINS: `${ORIGIN} http://localhost:5173`,
  CORS_HEADERS: 'X-Own-Trace',
  OPS_TOKEN,
  BODY_LIMIT_BYTES: '2048',
});

const preflight = async (origin: string): Promise<Answer> =>
  supertest(stack.url).options('/auth/token').set({
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization,content-type,x-hirer-id',
  });

describe('CORS', () => {
  test('a page of a listed origin may call, and no credentials are allowed', async () => {
    const answer = await preflight(ORIGIN);
    expect(answer.status).toBe(204);
    expect(answer.headers['access-control-allow-origin']).toBe(ORIGIN);
    expect(answer.headers['access-control-allow-headers']?.toLowerCase()).toContain('x-hirer-id');
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    const ofNoPage = await askToken(stack, undefined, {}); // a cache must not give it to a page
    for (const { headers } of [answer, ofNoPage]) expect(headers['vary']).toContain('Origin');
  });

  test('a page may send what routes read, what common clients add, and what CORS_HEADERS names', async () => {
    const { headers } = await preflight(ORIGIN);
    const allowed = headers['access-control-allow-headers']!.toLowerCase().split(/,\s*/);
    expect(allowed).toEqual(
      expect.arrayContaining([
        ...['authorization', 'content-type', 'accept-language', 'x-hirer-id', 'x-request-id', 'x-session-id'],
        ...['traceparent', 'tracestate', 'baggage', 'x-apollo-operation-name', 'x-own-trace'],
        ...['apollographql-client-name', 'apollographql-client-version', 'sentry-trace', 'b3', 'newrelic'],
        ...['x-datadog-trace-id', 'x-datadog-parent-id', 'x-datadog-sampling-priority', 'x-datadog-origin'],
        ...['x-datadog-sampled', 'x-datadog-tags'],
      ]),
    );
  });

  test.each([
    'https://app.partner.test.evil.test',
    'https://evil.test/app.partner.test',
    'https://evilapp.partner.test',
    'https://sub.app.partner.test',
    'http://app.partner.test',
    'https://app.partner.test:8443',
    'https://APP.partner.test',
    'https://app.partner.test@evil.test',
    'http://localhost:51730',
    'null',
    '*',
    'file://',
  ])('a page of %s gets no permission', async (origin) => {
    for (const answer of [await preflight(origin), await askToken(stack, undefined, {}, { origin })]) {
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    }
  });

  test('a preflight is no request for a token: it is neither counted nor recorded', async () => {
    await preflight(ORIGIN);
    const headers = { authorization: `Bearer ${OPS_TOKEN}` };
    const { text } = await supertest(stack.opsUrl).get('/metrics').set(headers);
    expect(text).not.toMatch(/bff_browser_tokens_total\{outcome="ok"/);
    const audit = await supertest(stack.opsUrl).get('/audit?outcome=ok').set(headers);
    expect(audit.body.items).not.toContainEqual(expect.objectContaining({ action: 'token' }));
  });

  const ASKING = {
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization',
  };
  test.each([
    ['GET', {}],
    ['GET', { origin: ORIGIN }],
    ['POST', { origin: ORIGIN }],
    ['DELETE', { origin: 'https://evil.test' }],
    ['OPTIONS', {}],
    ['OPTIONS', { origin: ORIGIN }],
    ['OPTIONS', ASKING],
    ['OPTIONS', { origin: ORIGIN, ...ASKING }],
    ['OPTIONS', { origin: 'https://evil.test', ...ASKING }],
  ])('an unknown address is not found: %s with %j', async (method, headers) => {
    const answer = await request(`${stack.url}/nowhere`, { method, headers });
    const body = (await answer.body.json()) as { code: string };
    expect([answer.statusCode, body.code]).toEqual([404, 'not_found']);
    expect(answer.headers['content-type']).toContain('application/problem+json');
    const isAllowed = 'origin' in headers && headers.origin === ORIGIN;
    expect(answer.headers['access-control-allow-origin']).toBe(isAllowed ? ORIGIN : undefined);
    expect(answer.headers['access-control-allow-methods']).toBeUndefined();
  });

  test.each([[{}], [{ origin: ORIGIN }], [{ 'access-control-request-method': 'POST' }]])(
    'OPTIONS that is no preflight is refused as any other method: %j',
    async (headers) => {
      const answer = await supertest(stack.url).options('/auth/token').set(headers);
      expect(answer).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
      expect(answer.headers['allow']).toBe('POST');
      expect(answer.body.detail).toBe('This address accepts POST only.');
    },
  );

  test('a request that is refused can be read by the page that sent it', async () => {
    const answer = await supertest(stack.url).get('/graphql').set({ origin: ORIGIN });
    expect(answer.status).toBe(405);
    expect(answer.headers['access-control-allow-origin']).toBe(ORIGIN);
    expect(answer.body.errors[0].message).toBe('This address accepts POST only.');
  });

  test('without CORS_ORIGINS no origin is allowed', async () => {
    const closed = await startStack();
    const answer = await askToken(closed, undefined, {}, { origin: ORIGIN });
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe('the ops listener', () => {
  const ops = async (path: string, token?: string): Promise<Answer> =>
    supertest(stack.opsUrl)
      .get(path)
      .set(token === undefined ? {} : { authorization: `Bearer ${token}` });

  test.each(['/metrics', '/audit', '/memberships', '/events'])('%s requires the ops token', async (path) => {
    for (const answer of [await ops(path), await ops(path, 'another token of some length')]) {
      expect(answer).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    }
    expect((await ops(path, OPS_TOKEN)).status).toBe(200);
  });

  test.each([
    ['bearer', 200],
    ['BEARER ', 200],
    ['Basic', 401],
    ['', 401],
  ])('the ops token after the scheme %p is answered %i (RFC 9110 section 11.1)', async (scheme, status) => {
    const headers = { authorization: `${scheme} ${OPS_TOKEN}` };
    expect((await supertest(stack.opsUrl).get('/metrics').set(headers)).status).toBe(status);
  });

  test.each(['/', '/livez', '/dashboard/dashboard.js'])('%s is open to reading only', async (path) => {
    const answer = await supertest(stack.opsUrl).post(path);
    expect(answer).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
  });

  test.each(['/livez', '/readyz'])('%s is open to probes', async (path) => {
    expect((await ops(path)).status).toBe(200);
  });

  test('the page may load nothing but its own files, and no other file can be had', async () => {
    const { headers } = await ops('/');
    expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'");
    expect(headers['x-frame-options']).toBe('DENY');
    expect(headers['www-authenticate']).toBe('Bearer');
    for (const name of ['%2e%2e%2fops-token.js', 'index.htm', 'package.json']) {
      expect((await ops(`/dashboard/${name}`)).status).toBe(404);
    }
  });

  test('a page of another site is refused, even with the token', async () => {
    const from = async (origin: string): Promise<number> =>
      (
        await supertest(stack.opsUrl)
          .get('/audit')
          .set({ authorization: `Bearer ${OPS_TOKEN}`, origin })
      ).status;
    expect([await from('https://evil.test'), await from(stack.opsUrl)]).toEqual([403, 200]);
  });

  test('routes of end users are not on it', async () => {
    for (const path of ['/auth/token', '/graphql', '/hirers', '/webhooks']) {
      expect((await ops(path, OPS_TOKEN)).status).toBe(404);
    }
  });
});

describe('a request', () => {
  test('cannot choose its identity by forwarding headers', async () => {
    const token = await stack.playground.signIn('amelia');
    const hirerId = stack.playground.demo.hirers[2]!.hirerId;
    const forged = {
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-user': 'bayu',
      'x-user-id': 'bayu',
      'x-real-ip': '127.0.0.1',
      'x-forwarded-uri': '/livez',
      'x-original-url': '/livez',
      forwarded: 'for=127.0.0.1',
      'x-hirer-id': hirerId,
    };
    expect(await askToken(stack, token, { hirerId, scope: 'query:ontologies' }, forged)).toMatchObject({
      status: 403,
      body: { code: 'hirer_forbidden' },
    });
  });

  test('with headers over the limit is refused', async () => {
    expect((await supertest(stack.url).get('/hirers').set('x-long', 'x'.repeat(20_000))).status).toBe(431);
  });
});
