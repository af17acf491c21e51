import { openPlayground, type Json } from '../support/start-stack.js';
import type { Fault } from '../../playground/src/faults/fault.js';
import {
  ask,
  BANKSIA,
  bearer,
  browserToken,
  errorsOf,
  partnerToken,
  tokenRequest,
  usePlayground,
  control,
} from './client.js';

/** Posts with fetch, which leaves an answer unread: many of these answers are broken. */
async function post(url: string, body: object, headers = {}, signal?: AbortSignal): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: signal ?? null,
  });
}

describe('faults on demand', () => {
  const failures: string[] = [];
  const playground = usePlayground({ onFailure: (what) => failures.push(what) });
  afterEach(() => playground.faults.clear());

  const issue = async () => post(`${playground.issuerUrl}/oauth/token`, tokenRequest(playground));
  const mint = async () =>
    post(
      `${playground.upstreamUrl}/auth/token`,
      { hirerId: BANKSIA, scope: 'query:organizations', userId: '42' },
      bearer(partnerToken(playground)),
    );
  const version = async (signal?: AbortSignal) =>
    post(`${playground.upstreamUrl}/graphql`, { query: '{ version }' }, {}, signal);

  test('answers 429 with Retry-After at the issuer for one call, then works again', async () => {
    playground.faults.add({ route: 'oauth-token', status: 429, headers: { 'Retry-After': '7' } });
    const [first, second] = [await issue(), await issue()];
    expect([first.status, first.headers.get('retry-after'), second.status]).toEqual([429, '7', 200]);
  });

  it.each<[string, Fault, unknown]>([
    ['a lifetime of 0', { set: { expires_in: 0 } }, 0],
    ['a lifetime of -1', { set: { expires_in: -1 } }, -1],
    ['a lifetime that is text', { set: { expires_in: 'x' } }, 'x'],
    ['a lifetime of 1e300', { set: { expires_in: 1e300 } }, 1e300],
    ['no lifetime', { drop: ['expires_in'] }, undefined],
  ])('makes the issuer state %s', async (_what, fault, expected) => {
    playground.faults.add({ route: 'oauth-token', ...fault });
    expect(((await (await issue()).json()) as { expires_in: unknown }).expires_in).toEqual(expected);
  });

  test('lets the mint grant another scope, another type or no token at all', async () => {
    playground.faults.add({
      route: 'auth-token',
      set: { scope: 'query:everything', token_type: 'mac' },
      drop: ['access_token'],
    });
    expect(await (await mint()).json()).toEqual({
      expires_in: 3600,
      scope: 'query:everything',
      token_type: 'mac',
    });
  });

  test('sends HTML, garbage, a huge body or a redirect in place of an answer', async () => {
    playground.faults.add({ route: 'oauth-token', status: 200, body: '<html>', contentType: 'text/html' });
    const page = await issue();
    expect([page.headers.get('content-type'), await page.text()]).toEqual(['text/html', '<html>']);
    playground.faults.add({ route: 'graphql', garbage: true });
    await expect((await version()).json()).rejects.toThrow();
    playground.faults.add({ route: 'oauth-token', bodyBytes: 3_000_000 });
    expect((await (await issue()).text()).length).toBeGreaterThan(3_000_000);
    playground.faults.add({
      route: 'oauth-token',
      status: 302,
      headers: { Location: 'https://elsewhere.example/' },
    });
    const redirect = await fetch(`${playground.issuerUrl}/oauth/token`, {
      method: 'POST',
      redirect: 'manual',
    });
    expect([redirect.status, redirect.headers.get('location')]).toEqual([302, 'https://elsewhere.example/']);
  });

  test('also spoils a file, with a matching length', async () => {
    const [{ id, profileId } = { id: '', profileId: '' }] = playground.world.attachments.values();
    const [application, name] = [profileId, id].map((text) => text.slice(text.lastIndexOf(':') + 1));
    const url = `${playground.upstreamUrl}/anzPublicTest/applications/${application ?? ''}/attachments/${name ?? ''}`;
    const download = async () => fetch(url, { headers: bearer(partnerToken(playground)) });
    playground.faults.add({ route: 'attachments', body: 'short' });
    const short = await download();
    expect([short.headers.get('content-length'), await short.text()]).toEqual(['5', 'short']);
    playground.faults.add({ route: 'attachments', truncate: true });
    await expect(download().then((response) => response.bytes())).rejects.toThrow();
    playground.faults.add({ route: 'attachments', dripMs: 5 });
    const reader = (await download()).body!.getReader();
    const startedAt = performance.now();
    for (let bytes = 0; bytes < 10;) bytes += (await reader.read()).value!.length;
    expect(performance.now() - startedAt).toBeGreaterThan(20);
    await reader.cancel();
  });

  test('leaves a body that is no JSON as it is when members are to be set or dropped', async () => {
    const [{ id } = { id: '' }] = playground.world.brandings.values();
    const url = `${playground.upstreamUrl}/anzPublicTest/brandings/${id.slice(id.lastIndexOf(':') + 1)}/logo.svg`;
    for (const fault of [{ set: { a: 1 } }, { drop: ['a'] }] satisfies Fault[]) {
      playground.faults.add({ route: 'images', ...fault });
      expect(await (await fetch(url)).text()).toMatch(/^<svg/);
    }
    expect(failures).toEqual([]);
  });

  test('breaks the connection, truncates the body and never answers', async () => {
    playground.faults.add({ route: 'graphql', reset: true });
    await expect(version()).rejects.toThrow();
    playground.faults.add({ route: 'graphql', truncate: true });
    await expect(version().then((response) => response.text())).rejects.toThrow();
    playground.faults.add({ route: 'graphql', hang: true });
    await expect(version(AbortSignal.timeout(200))).rejects.toThrow(/timeout/);
    const statuses = playground.calls
      .list({ route: 'graphql' })
      .slice(-3)
      .map(({ status, fault }) => [status, fault]);
    expect(statuses).toEqual([
      [null, true],
      [200, true],
      [null, true],
    ]);
  });

  test('executes the request and loses the answer', async () => {
    const before = playground.tokens.expire({ kind: 'browser' });
    playground.faults.add({ route: 'auth-token', loseAnswer: true });
    await expect(mint()).rejects.toThrow();
    expect(playground.tokens.expire({ kind: 'browser' })).toBe(before + 1);
  });

  test('drips an answer byte by byte', async () => {
    playground.faults.add({ route: 'graphql', dripMs: 2 });
    const startedAt = performance.now();
    const text = await (await version()).text();
    expect(JSON.parse(text)).toMatchObject({ data: { version: expect.any(String) } });
    expect(performance.now() - startedAt).toBeGreaterThan(2 * (text.length - 1) * 0.5);
  });

  test('lets some calls pass first, hits the given number and leaves other routes alone', async () => {
    playground.faults.add({ route: 'graphql', status: 503, after: 1, times: 2 });
    const statuses = [];
    for (let n = 0; n < 4; n++) statuses.push((await version()).status);
    expect([statuses, (await mint()).status]).toEqual([[200, 503, 503, 200], 200]);
  });

  test('fails one field with any code and leaves its neighbours', async () => {
    playground.faults.add({ field: 'Query.self', code: 'RATE_LIMITED', message: 'slow down' });
    const answer = await ask(
      playground,
      '{ version self { hirer { name } } }',
      undefined,
      browserToken(playground),
    );
    expect([errorsOf(answer), answer.errors?.[0]?.message]).toEqual([
      [['RATE_LIMITED', 'self']],
      'slow down',
    ]);
  });

  test('skews the clock of the Date header', async () => {
    playground.clock.skew(3_600_000);
    const response = await version();
    expect(Date.parse(response.headers.get('date') ?? '')).toBeGreaterThan(Date.now() + 3_500_000);
    playground.clock.skew(0);
  });

  test('moves the clock by control route: by a skew, a distance, days or to a time, and back', async () => {
    const clock = (...pairs: string[]) => control(playground, 'clock', ...pairs);
    expect((await clock('skewMs=1000')).skewMs).toBe(1_000);
    expect((await clock('advanceMs=500')).skewMs).toBe(1_500);
    expect((await clock('advanceDays=-1')).skewMs).toBe(1_500 - 86_400_000);
    expect((await clock('now=2030-01-02T03:04:05Z')).now).toMatch(/^2030-01-02T03:04:0/);
    expect((await clock()).now).toMatch(/^2030-01-02T03:/);
    for (const wrong of ['now=tomorrow', 'advanceDays=1e300', 'skewMs=-1e15']) {
      await expect(clock(wrong)).rejects.toThrow(/1970 to 9999/);
    }
    await expect(clock('skewMs=1', 'advanceMs=1')).rejects.toThrow(/one of/);
    expect((await clock('--clear')).skewMs).toBe(0);
  });

  test('takes faults by command line and by control route, and names what is unknown', async () => {
    await control(playground, 'faults', 'route=graphql', 'status=503', 'headers={"Retry-After":"3"}');
    expect((await version()).headers.get('retry-after')).toBe('3');
    for (const [name, pair, fault] of [
      ['faults', 'statis=503', /statis is not known/],
      ['faults', 'status=often', /status must be integer/],
      ['switches', 'mutations=sometimes', /stateful/],
      ['switches', 'postingDelayMs=-1', /postingDelayMs must be >= 0/],
    ] as const) {
      await expect(control(playground, name, pair)).rejects.toThrow(fault);
    }
    await control(playground, 'faults', 'route=graphql', 'status=503', 'times=0');
    expect(await control(playground, 'faults')).toMatchObject({ faults: [{ left: null }] });
    expect(await control(playground, 'faults', '--clear')).toEqual({ faults: [] });
  });

  test('filters what a control lists by the values that the command line names', async () => {
    await version();
    const { calls } = await control(playground, 'calls', 'route=graphql');
    expect(new Set(calls.map(({ route }: Json) => route))).toEqual(new Set(['graphql']));
    expect(await control(playground, 'calls', 'requestId=none')).toEqual({ calls: [] });
  });

  test('changes the switches that are named, and gives all back the values of the start', async () => {
    const own = await openPlayground({ switches: { mutations: 'stateful' } });
    await control(own, 'switches', 'mutations=read-only');
    await control(own, 'switches', 'unknownId=NOT_FOUND');
    expect([own.switches.mutations, own.switches.unknownId]).toEqual(['read-only', 'NOT_FOUND']);
    await control(own, 'switches', '--clear');
    expect([own.switches.mutations, own.switches.unknownId]).toEqual(['stateful', 'null']);
  });

  test('expires and revokes tokens', async () => {
    const token = browserToken(playground, ['query:organizations']);
    const query = '{ self { hirer { name } } }';
    expect((await ask(playground, query, undefined, token)).errors).toBeUndefined();
    await control(playground, 'tokens/expire', 'kind=browser');
    expect((await ask(playground, query, undefined, token)).errors?.[0]?.message).toContain('expired');
    await control(playground, 'tokens/revoke', 'kind=browser');
    expect((await ask(playground, query, undefined, token)).errors?.[0]?.message).toContain('not valid');
  });
});
