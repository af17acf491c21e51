/* eslint-disable max-lines -- tokens, the session that they belong to, and what is said when there is none */
import { createAttachmentLink } from '../src/attachments.js';
import { type Bff, BffError, execute, listHirers, request } from '../src/client.js';
import { BANKSIA, CHAO_PHRAYA, NUSANTARA } from '../../test/proxy/proxy-stack.js';
import { useStack } from '../../test/support/start-stack.js';
import { until } from '../../test/support/until.js';
import { hirerOf, openPage, pageBefore } from './page.js';

const SCOPES = ['query:organizations', 'query:ontologies query:organizations'];
const SELF = 'query Self { self { hirer { id { value } name } } }';
interface Self {
  readonly self: { readonly hirer: { readonly name: string } };
}

const stack = useStack({ RATE_LIMIT_MINTS_PER_MINUTE: '0', RATE_LIMIT_REQUESTS_PER_MINUTE: '0' });
afterEach(() => {
  stack.playground.faults.clear();
  stack.playground.switches.browserTokenSeconds = 3_600;
});

describe('browser tokens', () => {
  test('two hirers and two scope sets, asked for a hundred times at once, are four tokens, each of its own hirer', async () => {
    const { bff, sent } = openPage(stack);
    const places = [BANKSIA, NUSANTARA].flatMap((hirerId) => SCOPES.map((scope) => ({ hirerId, scope })));
    const asked = Array.from({ length: 100 }, (_, at) => bff.getAuthToken(places[at % 4]));
    const tokens = await Promise.all(asked);
    expect(sent('/auth/token')).toBe(4);
    expect(new Set(tokens).size).toBe(4);
    tokens.forEach((token, at) => expect(hirerOf(stack, token)).toBe(places[at % 4]!.hirerId));
  });

  test('scopes in another order are the same token', async () => {
    const { bff } = openPage(stack);
    const one = await bff.getAuthToken({ scope: 'query:organizations query:ontologies' });
    expect(await bff.getAuthToken({ scope: ' query:ontologies  query:organizations' })).toBe(one);
  });

  test('works as a callback that is passed on', async () => {
    const { getAuthToken } = openPage(stack).bff;
    expect(hirerOf(stack, await getAuthToken())).toBe(BANKSIA);
  });

  test('a token is renewed in the last tenth of its life while callers still get the old one, and waited for at its end', async () => {
    let now = Date.now();
    const minted: string[] = [];
    const { bff } = openPage(stack, {
      now: () => now,
      fetch: async () => {
        minted.push(`token-${minted.length}`);
        return Response.json({ access_token: minted.at(-1), expires_in: 100 });
      },
    });
    expect(await bff.getAuthToken()).toBe('token-0');
    now += 89_000;
    expect(await bff.getAuthToken()).toBe('token-0');
    expect(minted).toHaveLength(1);
    now += 2_000;
    expect(await bff.getAuthToken()).toBe('token-0');
    await until(() => minted.length === 2);
    await until(async () => (await bff.getAuthToken()) === 'token-1');
    now += 100_000;
    expect(await bff.getAuthToken()).toBe('token-2');
  });

  test('a token that the upstream refuses is replaced once, though the service still had it', async () => {
    const { bff, sent } = openPage(stack);
    await request<Self, object>(bff, { query: SELF });
    stack.playground.tokens.expire({ kind: 'browser' });
    const answers = await Promise.all([1, 2, 3].map(() => request<Self, object>(bff, { query: SELF })));
    expect(answers.map(({ self }) => self.hirer.name)).toEqual(Array(3).fill('Banksia Health Group'));
    expect(sent('/auth/token')).toBe(2);
  });

  test('a refusal that is late, of a token that has been replaced, does not replace its successor', async () => {
    let minted = 0;
    const { bff } = openPage(stack, {
      fetch: async () => Response.json({ access_token: `token-${minted++}`, expires_in: 100 }),
    });
    const { value: refused } = await bff.token();
    const values = [await bff.token({}, refused), await bff.token({}, refused)].map(({ value }) => value);
    expect(values).toEqual(['token-1', 'token-1']);
  });

  test('an abort ends the wait of its caller, not the mint that others wait for', async () => {
    const { bff, sent } = openPage(stack);
    const controller = new AbortController();
    const [aborted, other] = [bff.getAuthToken({ signal: controller.signal }), bff.getAuthToken()];
    controller.abort();
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
    expect(hirerOf(stack, await other)).toBe(BANKSIA);
    expect(sent('/auth/token')).toBe(1);
  });

  test('a signal that times out is a missing answer, whether it did before the call or during it', async () => {
    const { bff } = openPage(stack);
    const signal = AbortSignal.timeout(1);
    const pending = bff.getAuthToken({ signal });
    const late = { name: 'BffError', code: 'NETWORK_ERROR', message: expect.stringContaining('in time') };
    await expect(pending).rejects.toMatchObject(late);
    await expect(bff.getAuthToken({ signal })).rejects.toMatchObject(late);
    await expect(request(bff, { query: '{ version }' }, { signal })).rejects.toMatchObject(late);
  });

  test('a user token that has expired is asked for again', async () => {
    const asked: boolean[] = [];
    const { bff } = openPage(stack, {
      getUserToken: ({ refresh }) => {
        asked.push(refresh);
        return stack.playground.signIn('amelia', { expiresInSeconds: refresh ? 60 : -60 });
      },
    });
    expect(hirerOf(stack, await bff.getAuthToken())).toBe(BANKSIA);
    expect(asked).toEqual([false, true]);
  });
});

describe("the user's own token", () => {
  const graphqlRefusal = (extensions: object) => ({ errors: [{ message: 'No.', extensions }] });
  const REFUSED_BY_UPSTREAM = graphqlRefusal({ code: 'UNAUTHENTICATED' });
  const REFUSED_BY_SERVICE = graphqlRefusal({ code: 'UNAUTHENTICATED', reason: 'unauthenticated' });

  /** A page whose service answers 401; what it asked for and sent. */
  function refused(body: object) {
    const asked: boolean[] = [];
    let sent = 0;
    const send = async (): Promise<Response> => {
      sent += 1;
      return Response.json(body, { status: 401 });
    };
    const bff = pageBefore(send, { getUserToken: ({ refresh }) => `token-${asked.push(refresh)}` });
    return { bff, asked, sent: () => sent };
  }

  test.each(['{ a }', 'mutation { post }'])(
    'is not renewed for a 401 of the upstream, and nothing is sent twice: %s',
    async (query) => {
      const { bff, asked, sent } = refused(REFUSED_BY_UPSTREAM);
      await expect(request(bff, { query })).rejects.toMatchObject({ code: 'UNAUTHENTICATED', status: 401 });
      expect([asked, sent()]).toEqual([[false], 1]);
    },
  );

  test('is renewed once where the service refused it, which has done nothing then', async () => {
    const { bff, asked, sent } = refused(REFUSED_BY_SERVICE);
    await expect(request(bff, { query: 'mutation { post }' })).rejects.toMatchObject({ status: 401 });
    expect([asked, sent()]).toEqual([[false, true], 2]);
  });

  test.each([false, true])('has no longer than the request that needs it (renewal: %s)', async (late) => {
    const bff = pageBefore(async () => Response.json(REFUSED_BY_SERVICE, { status: 401 }), {
      getUserToken: ({ refresh }) => (refresh === late ? new Promise(() => undefined) : 'token'),
      timeoutMs: 20,
    });
    await expect(request(bff, { query: '{ a }' })).rejects.toMatchObject({ code: 'NETWORK_ERROR' });
  });

  test('that comes after the session has ended sends nothing', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    let sent = 0;
    const send = async (): Promise<Response> => Response.json({ sent: (sent += 1) });
    const bff = pageBefore(send, { getUserToken: () => promise });
    const asked = request(bff, { query: '{ a }' });
    bff.switchHirer(NUSANTARA);
    await expect(asked).rejects.toMatchObject({ code: 'SESSION_ENDED' });
    resolve('late');
    await promise;
    expect(sent).toBe(0);
  });
});

describe('a session', () => {
  test('that ends while a token is minted gets none, and the next one gets its own', async () => {
    const { bff } = openPage(stack, { scope: 'query:ad-products' });
    stack.playground.faults.add({ route: 'auth-token', delayMs: 200 });
    const late = bff.getAuthToken();
    const atOnce = late.catch((fault: unknown) => fault);
    bff.switchHirer(NUSANTARA);
    expect(await atOnce).toMatchObject({ code: 'SESSION_ENDED', reason: 'hirer_switched' });
    expect(hirerOf(stack, await bff.getAuthToken())).toBe(NUSANTARA);
    bff.switchHirer(BANKSIA);
    expect(hirerOf(stack, await bff.getAuthToken())).toBe(BANKSIA);
  });

  test('that ends drops the answer of a transport that ignores aborts', async () => {
    const release = Promise.withResolvers<void>();
    let arrived = 0;
    const { bff } = openPage(stack, {
      fetch: async (url, init) => {
        const response = await fetch(url, { ...init, signal: null });
        arrived += 1;
        await release.promise;
        return response;
      },
    });
    const late = [
      bff.getAuthToken(),
      request(bff, { query: SELF }, { via: 'service' }),
      createAttachmentLink(bff, '/attachments/x'),
    ];
    const outcomes = Promise.allSettled(late);
    await until(() => arrived === late.length);
    bff.switchHirer(NUSANTARA);
    release.resolve();
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'SESSION_ENDED' } });
    }
    expect(hirerOf(stack, await bff.getAuthToken())).toBe(NUSANTARA);
  });

  test('a switch drops the tokens', async () => {
    const { bff, sent } = openPage(stack);
    await bff.getAuthToken();
    bff.switchHirer(BANKSIA);
    await bff.getAuthToken();
    expect(sent('/auth/token')).toBe(2);
  });

  test('after sign-out nothing is ever sent or handed out again', async () => {
    const { bff, sent } = openPage(stack);
    await bff.getAuthToken();
    bff.signOut();
    await expect(bff.getAuthToken()).rejects.toMatchObject({ code: 'SESSION_ENDED', reason: 'signed_out' });
    await expect(request(bff, { query: SELF })).rejects.toMatchObject({ code: 'SESSION_ENDED' });
    expect(() => bff.switchHirer(NUSANTARA)).toThrow(BffError);
    expect(sent('/graphql')).toBe(0);
  });
});

describe('errors', () => {
  const WAIT = { code: 'rate_limited', detail: 'Wait.' };
  const PARTIAL = {
    data: { a: 1, b: null },
    errors: [{ message: 'no b', path: ['b'], extensions: { code: 'FORBIDDEN' } }],
  };

  test('the same refusal has the same code and reason as a problem and as a GraphQL answer, and says what to do', async () => {
    const { bff: page } = openPage(stack, { hirerId: CHAO_PHRAYA });
    const fault = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
    const [problem, graphql] = await Promise.all([
      fault(page.getAuthToken()),
      fault(request(page, { query: SELF }, { via: 'service' })),
    ]);
    expect(problem).toBeInstanceOf(BffError);
    const { code, reason, status, message, requestId } = problem as BffError;
    expect([code, reason, status, typeof requestId]).toEqual(['FORBIDDEN', 'hirer_forbidden', 403, 'string']);
    expect(message).toContain('Ask an administrator for access');
    expect(graphql).toMatchObject({ code, reason, status, message });
  });

  test.each([
    ['a proxy', () => new Response('<html>', { status: 502 }), { code: 'UPSTREAM_ERROR', status: 502 }],
    ['no JSON in a success', () => new Response('oops'), { code: 'UPSTREAM_ERROR', status: 200 }],
    [
      'a refusal with a time to wait',
      () => Response.json(WAIT, { status: 429, headers: { 'retry-after': '7' } }),
      { code: 'RATE_LIMITED', reason: 'rate_limited', retryAfter: 7, message: 'Wait.' },
    ],
    ['partial data', () => Response.json(PARTIAL), { code: 'FORBIDDEN', ...PARTIAL }],
    [
      'a refusal of the host without a code',
      () => new Response(null, { status: 421 }),
      { code: 'MISDIRECTED_REQUEST' },
    ],
    [
      'an error without extensions',
      () => Response.json({ errors: [{ message: 'No.', extensions: null }] }),
      { message: 'No.' },
    ],
    ['no answer', () => Promise.reject(new TypeError('fetch failed')), { code: 'NETWORK_ERROR', status: 0 }],
  ])('%s', async (_case, answer, expected) => {
    const asked = request(
      pageBefore(async () => answer()),
      { query: '{ a b }' },
    );
    await expect(asked).rejects.toMatchObject({ name: 'BffError', ...expected });
  });

  test.each<[string, (bff: Bff) => Promise<unknown>]>([
    ['hirers', listHirers],
    ['a token', (bff) => bff.getAuthToken({ hirerId: 'h', scope: 's' })],
    ['a link', (bff) => createAttachmentLink(bff, '/attachments/x')],
  ])('a page in place of %s', async (_what, call) => {
    const bff = pageBefore(async () => new Response('<!doctype html>'));
    await expect(call(bff)).rejects.toMatchObject({ name: 'BffError', code: 'UPSTREAM_ERROR' });
  });

  test('null for no errors', async () => {
    const bff = pageBefore(async () => Response.json({ data: { a: 1 }, errors: null }));
    expect(await execute(bff, { query: '{ a }' })).toMatchObject({ data: { a: 1 }, error: undefined });
  });

  test('an answer that does not come in time', async () => {
    const never: typeof fetch = (_url, init) =>
      new Promise((_resolve, reject) => {
        init!.signal!.addEventListener('abort', () => reject(init!.signal!.reason as Error));
      });
    const asked = request(pageBefore(never, { timeoutMs: 10 }), { query: '{ a }' });
    await expect(asked).rejects.toMatchObject({ code: 'NETWORK_ERROR', status: 0 });
  });
});
