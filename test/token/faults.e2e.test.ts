import supertest from 'supertest';
import { startStack, type Stack, askToken, type Answer } from '../support/start-stack.js';
import { usePlayground } from '../playground/client.js';

const SCOPE = 'query:organizations';
const DEADLINE_MS = 1_000;

let stack: Stack;
let userToken: string;
let hirerId: string;
let answers: Answer[] = [];
let scopeSets: string[] = [];
let issuedTokens: string[] = [];
let users = 0;

const SETTINGS = {
  UPSTREAM_TIMEOUT_MS: String(DEADLINE_MS),
  ISSUER_TIMEOUT_MS: String(DEADLINE_MS),
  RATE_LIMIT_MINTS_PER_MINUTE: '3',
};

/** Makes a user a member of a hirer, whose tokens are asked for from now on. */
async function join(subject: string, hirer: number): Promise<void> {
  hirerId = stack.playground.demo.hirers[hirer]!.hirerId;
  await supertest(stack.opsUrl).put(`/memberships/${subject}/${encodeURIComponent(hirerId)}`);
}

/** Begins a test as a member of a hirer for whom nothing is cached, counted or limited yet. */
async function beginAsNewUser(): Promise<void> {
  users += 1;
  const subject = `user-${users}`;
  await join(subject, 0);
  userToken = await stack.playground.signIn(subject);
  answers = [];
  issuedTokens = [];
  scopeSets = [
    'query:organizations',
    'query:ontologies',
    'query:ad-products',
    'query:ontologies query:organizations',
  ];
}

/** Whatever went wrong, no secret may have got out by any way (requirements, token row 18). */
async function expectNoSecretOut(): Promise<void> {
  const metrics = await supertest(stack.opsUrl).get('/metrics');
  const audit = await supertest(stack.opsUrl).get('/audit');
  const refusals = answers.filter(({ status }) => status !== 200).map(({ text }) => text);
  const outputs = [stack.logText(), metrics.text, audit.text, ...refusals].join('\n');
  const canaries = [
    ...['PARTNER_CLIENT_SECRET', 'SEALING_KEY', 'USER_ID_KEY'].map((name) => stack.environment[name]!),
    userToken,
    ...issuedTokens,
    ...stack.playground.tokens.values(),
  ];
  expect(canaries.filter((canary) => outputs.includes(canary))).toEqual([]);
}

/** One stack for the tests of a block, which leave nothing behind but the record of their own user. */
function shareStack(): void {
  beforeAll(async () => {
    stack = await startStack({ ...SETTINGS, ISSUER_TIMEOUT_MS: '30000' }); // a busy machine makes no pause for all of them
  });
  beforeEach(beginAsNewUser);
  afterEach(async () => {
    stack.playground.faults.clear();
    await expectNoSecretOut();
  });
}

/** A service for each test of a block, since it remembers what happened: the partner token, a pause after failures. */
function startEach(): void {
  const playground = usePlayground({ size: 1 });
  beforeEach(async () => {
    playground.faults.clear();
    playground.calls.clear();
    stack = await startStack(SETTINGS, playground);
    await beginAsNewUser();
  });
  afterEach(expectNoSecretOut);
}

/** Each ask is for scopes of its own, so that no token is cached. */
async function ask(): Promise<Answer> {
  const answer = await askToken(stack, userToken, { hirerId, scope: scopeSets.pop() ?? SCOPE });
  answers.push(answer);
  return answer;
}

function revokePartnerToken(): void {
  issuedTokens.push(...stack.playground.tokens.values());
  stack.playground.tokens.revoke({ kind: 'partner' });
}

const issuerCalls = (): number => stack.playground.calls.list({ route: 'oauth-token' }).length;
const mintCalls = (): number => stack.playground.calls.list({ route: 'auth-token' }).length;

describe('when the upstream fails', () => {
  shareStack();

  test.each<[string, object, number?, string?]>([
    ['hangs', { hang: true }, 504, 'upstream_timeout'],
    ['drips its answer', { dripMs: 200 }, 504, 'upstream_timeout'],
    ['breaks the connection', { reset: true }],
    ['cuts its answer', { truncate: true }],
    ['answers garbage', { garbage: true }],
    ['answers HTML', { status: 200, contentType: 'text/html', body: '<html>secret detail</html>' }],
    ['compresses its answer', { headers: { 'content-encoding': 'gzip' } }],
    ['answers too much', { bodyBytes: 5_000_000 }],
    ['redirects', { status: 307, headers: { location: 'http://127.0.0.1:9/' } }],
    ['answers 500', { status: 500, body: '{"message":"secret detail"}' }],
    ['answers 400', { status: 400 }],
    ['answers 503', { status: 503, headers: { 'retry-after': '7' } }, 503, 'unavailable'],
    ['answers 429', { status: 429, headers: { 'retry-after': '9' } }, 429, 'rate_limited'],
    ['refuses the relationship', { status: 403 }, 403, 'hirer_not_connected'],
    ['leaves out the token', { drop: ['access_token'] }],
    ['leaves out the lifetime', { drop: ['expires_in'] }],
    ['leaves out the type', { drop: ['token_type'] }],
    ['answers another type', { set: { token_type: 'MAC' } }],
    ['answers a life of 0', { set: { expires_in: 0 } }],
    ['answers a life of -1', { set: { expires_in: -1 } }],
    ['answers a life of "x"', { set: { expires_in: 'x' } }],
    ['answers a life of 1e300', { set: { expires_in: 1e300 } }],
    ['grants more than asked', { set: { scope: 'query:organizations query:ontologies mutate:everything' } }],
    ['puts a line break into the token', { set: { access_token: 'abc\r\nx-injected: 1' } }],
  ])(
    'it %s: the documented error, nothing of its text, and nothing cached',
    async (_name, fault, status = 502, code = 'upstream_error') => {
      stack.playground.faults.add({ route: 'auth-token', times: 1, ...fault });
      const refused = await ask();
      expect(refused).toMatchObject({ status, body: { code } });
      expect(refused.text).not.toContain('secret detail');
      if (status === 429 || status === 503) {
        expect(refused.headers['retry-after']).toBe(status === 429 ? '9' : '7');
      }
      scopeSets = [];
      expect((await ask()).status).toBe(200);
    },
  );

  test('a life of millions of years is one of a day, and the audit trail can be read', async () => {
    stack.playground.faults.add({ route: 'auth-token', set: { expires_in: 1e15 } });
    expect((await ask()).body.expires_in).toBeLessThanOrEqual(86_400);
    expect((await supertest(stack.opsUrl).get('/audit')).status).toBe(200);
  });

  test('members it adds are not passed on', async () => {
    stack.playground.faults.add({
      route: 'auth-token',
      set: { refresh_token: 'r', scope: 'query:ontologies query:organizations' },
    });
    const answer = await ask();
    expect(Object.keys(answer.body).sort()).toEqual(['access_token', 'expires_in', 'token_type']);
  });
});

describe('when the upstream refuses the partner token', () => {
  startEach();

  test('a partner token that it no longer accepts is replaced once, however new it is', async () => {
    await ask();
    for (const issued of [2, 3]) {
      revokePartnerToken();
      expect((await ask()).status).toBe(200);
      expect(issuerCalls()).toBe(issued);
    }
  });

  test('when it accepts no partner token at all, two are tried and then the error is ours', async () => {
    await ask();
    const [issued, minted] = [issuerCalls(), mintCalls()];
    stack.playground.faults.add({ route: 'auth-token', times: 0, status: 401 });
    expect(await ask()).toMatchObject({ status: 502, body: { code: 'upstream_error' } });
    expect([issuerCalls() - issued, mintCalls() - minted]).toEqual([1, 2]);
  });
});

describe('when the issuer fails', () => {
  startEach();

  const cutOffIssuer = async (fault: object): Promise<void> => {
    await ask();
    revokePartnerToken();
    stack.playground.faults.add({ route: 'oauth-token', times: 0, ...fault });
  };

  test.each<[string, object]>([
    ['hangs', { hang: true }],
    ['drips its answer', { dripMs: 200 }],
    ['breaks the connection', { reset: true }],
    ['answers garbage', { garbage: true }],
    ['answers HTML', { status: 200, contentType: 'text/html', body: '<html>' }],
    ['answers 10 MiB', { bodyBytes: 10_485_760 }],
    ['redirects', { status: 302, headers: { location: 'http://127.0.0.1:9/' } }],
    ['answers 500', { status: 500 }],
    ['compresses its answer', { headers: { 'content-encoding': 'gzip' } }],
    ['says 403', { status: 403 }],
    ['answers another type', { set: { token_type: 'MAC' } }],
    ['leaves out the token', { drop: ['access_token'] }],
  ])('it %s: unavailable with Retry-After, and no call without a token', async (_name, fault) => {
    await cutOffIssuer(fault);
    const minted = mintCalls();
    const refused = await ask();
    expect(refused).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    const unauthorised = stack.playground.calls
      .list({ route: 'auth-token' })
      .filter(({ token }) => token === 'none');
    expect(unauthorised).toEqual([]);
    expect(mintCalls() - minted).toBeLessThanOrEqual(1); // the one that found the partner token revoked
  });

  test.each([
    ['10', 8, 10],
    ['3600', 50, 60], // everything waits for it
  ])('it answers 429 with Retry-After %s: passed on, a minute at most', async (wait, least, most) => {
    await cutOffIssuer({ status: 429, headers: { 'retry-after': wait } });
    const asked = issuerCalls();
    const [refused, again] = [await ask(), await ask()];
    expect([refused.status, again.status]).toEqual([503, 503]);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(least);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(most);
    expect(issuerCalls() - asked).toBe(1); // not asked again
  });

  test('it refuses our credentials: not asked again for a minute', async () => {
    await cutOffIssuer({ status: 401 });
    const asked = issuerCalls();
    expect(Number((await ask()).headers['retry-after'])).toBeGreaterThan(50);
    expect((await ask()).status).toBe(503);
    expect(issuerCalls() - asked).toBe(1);
  });

  test.each([0, -1, 'x', 1e300, undefined])(
    'a lifetime of %p counts as a short one, not an endless one',
    async (life) => {
      await ask();
      revokePartnerToken();
      stack.playground.faults.add({
        route: 'oauth-token',
        ...(life === undefined ? { drop: ['expires_in'] } : { set: { expires_in: life } }),
      });
      expect((await ask()).status).toBe(200);
      const remaining = /^bff_partner_token_remaining_seconds (\S+)$/m.exec(
        (await supertest(stack.opsUrl).get('/metrics')).text,
      )?.[1];
      expect(Number(remaining)).toBeGreaterThan(0);
      expect(Number(remaining)).toBeLessThanOrEqual(life === 1e300 ? 86_400 : 60);
    },
  );
});

describe('limits', () => {
  shareStack();

  test('browser tokens asked of the upstream for one user and hirer are limited; cached ones are not', async () => {
    expect([await ask(), await ask(), await ask()].map(({ status }) => status)).toEqual([200, 200, 200]);
    const refused = await ask();
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    scopeSets = ['query:ontologies'];
    expect((await ask()).status).toBe(200);
    await join(`user-${users}`, 1);
    expect((await ask()).status).toBe(200);
  });
});
