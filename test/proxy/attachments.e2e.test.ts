import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import supertest from 'supertest';
import type { Answer } from '../support/start-stack.js';
import { until } from '../support/until.js';
import { MembershipGate } from '../../src/hirer-access/membership-gate.js';
import { RequestContext } from '../../src/http/request-context.js';
import { PartnerTokens } from '../../src/token/partner-tokens.js';
import { Upstream } from '../../src/upstream/upstream.js';
import { useProxyStack } from './proxy-stack.js';

const SHOWN = ['content-disposition', 'content-length', 'content-type', 'last-modified'];

const stack = useProxyStack();
let link: string;
let upstreamPath: string;
let content: string;

beforeAll(async () => {
  const sealed = await stack.sealedLink();
  link = sealed.link;
  const direct = await partnerFetch(sealed.application);
  upstreamPath = direct.path;
  content = direct.answer.text;
});

async function partnerFetch(id: string): Promise<{ path: string; answer: Answer }> {
  const { playground } = stack;
  const authorization = `Bearer ${playground.tokens.issuePartner(60)}`;
  const asked = await supertest(playground.upstreamUrl).post('/graphql').set({ authorization }).send({
    query: 'query ($id: String!) { candidateProfile(id: $id) { attachments { url } } }',
    variables: { id },
  });
  const url: string = asked.body.data.candidateProfile.attachments[0].url;
  return { path: new URL(url).pathname, answer: await supertest(url).get('').set({ authorization }) };
}

const fetchLink = async (
  path: string,
  token = stack.amelia,
  method: 'get' | 'head' | 'post' = 'get',
): Promise<Answer> =>
  supertest(stack.url)
    [method](path)
    .set({ authorization: `Bearer ${token}` });

/** Has the next second check of a membership, which comes once the upstream has begun the file, wait first. */
function beforeSecondCheck(wait: (file: Readable, context: RequestContext) => Promise<unknown>): void {
  const { app } = stack.service;
  const [gate, attachment] = [app.get(MembershipGate), app.get(Upstream)['attachment']];
  const [enter, open] = [gate.enter.bind(gate), attachment.open.bind(attachment)];
  jest.spyOn(attachment, 'open').mockImplementationOnce(async (...call) => {
    const answer = await open(...call);
    jest.spyOn(gate, 'enter').mockImplementationOnce(async (user, hirerId, context) => {
      await wait(answer.body, context!);
      return enter(user, hirerId, context);
    });
    return answer;
  });
}
afterEach(() => jest.restoreAllMocks());

describe('attachments', () => {
  test('a registered answer contains sealed links, and no URL of the upstream', async () => {
    expect(link).toMatch(/^\/attachments\/[\w-]+$/);
    expect(Buffer.from(link.split('/')[2]!, 'base64url').toString('latin1')).not.toContain('anzPublicTest');
  });

  test.each(['identity', ''])('a file in the content encoding "%s" is passed on', async (encoding) => {
    stack.playground.faults.add({ route: 'attachments', headers: { 'content-encoding': encoding } });
    const file = await fetchLink(link);
    expect(file).toMatchObject({ status: 200, text: content });
    expect(file.headers['content-encoding']).toBeUndefined();
  });

  test('a file in a content encoding that was not asked for is no file', async () => {
    stack.playground.faults.add({ route: 'attachments', headers: { 'content-encoding': 'gzip' } });
    expect(await fetchLink(link)).toMatchObject({ status: 502, body: { code: 'upstream_error' } });
  });

  test.each<[string, (token: string) => string]>([
    ['content-disposition', (token) => `attachment; filename="${token}.pdf"`],
    ['content-type', (token) => `text/plain; name=${token}`],
    ['last-modified', (token) => token],
  ])('a partner token in %s leaves no byte', async (name, quote) => {
    const tokens = stack.service.app.get(PartnerTokens, { strict: false });
    const token = await tokens.get(RequestContext.background());
    stack.playground.faults.add({ route: 'attachments', headers: { [name]: quote(token) } });
    expect(await fetchLink(link)).toMatchObject({ status: 502, body: { code: 'upstream_error' } });
  });

  test('GET returns the file with its headers, HEAD only the headers', async () => {
    const file = await fetchLink(link);
    expect(file.status).toBe(200);
    expect(file.text).toBe(content);
    const head = await fetchLink(link, undefined, 'head');
    expect(head.status).toBe(200);
    expect(head.text).toBeUndefined();
    for (const name of SHOWN) {
      expect(file.headers[name]).toBeDefined();
      expect(head.headers[name]).toBe(file.headers[name]);
    }
    expect(file.headers['cache-control']).toBe('no-store');
    expect(file.headers['x-content-type-options']).toBe('nosniff');
    expect(file.headers['content-security-policy']).toContain('sandbox');
    expect(stack.playground.calls.list({ route: 'attachments' }).at(-1)?.token).toBe('partner');
  });

  test("an altered link, another user's and an invented one are the same 404, without an upstream call", async () => {
    const before = stack.calls('attachments');
    const sealed = link.slice('/attachments/'.length);
    const flipped = sealed.slice(0, -5) + (sealed.at(-5) === 'A' ? 'B' : 'A') + sealed.slice(-4);
    const bayu = await stack.playground.signIn('bayu');
    const answers = await Promise.all([
      fetchLink(`/attachments/${flipped}`),
      fetchLink(link, bayu),
      fetchLink(`/attachments/${Buffer.from(`{"path":"${upstreamPath}"}`).toString('base64url')}`),
      fetchLink('/attachments/x'),
    ]);
    for (const { status, body } of answers) expect([status, body.code]).toEqual([404, 'not_found']);
    expect(stack.calls('attachments')).toBe(before);
  });

  test('without an end user the answer is 401, and other methods are 405', async () => {
    expect((await supertest(stack.url).get(link)).status).toBe(401);
    expect((await fetchLink(link, undefined, 'post')).status).toBe(405);
    const [last, first] = await stack.audit('action=attachment');
    expect([first.outcome, last.outcome]).toEqual(['unauthenticated', 'method_not_allowed']);
  });

  test('an expired partner token is replaced', async () => {
    stack.playground.tokens.expire({ kind: 'partner' });
    expect((await fetchLink(link)).status).toBe(200);
  });

  test.each([
    [{ status: 404 }, 404, 'not_found'],
    [{ status: 429, headers: { 'Retry-After': '9' } }, 429, 'rate_limited'],
    [{ status: 503 }, 503, 'unavailable'],
    [{ status: 307, headers: { Location: 'http://127.0.0.1:1/' } }, 502, 'upstream_error'],
    [{ status: 403 }, 502, 'upstream_error'],
    [{ reset: true }, 502, 'upstream_error'],
  ])('the fault %j is %d %s', async (fault, status, code) => {
    stack.playground.faults.add({ route: 'attachments', ...fault });
    const answer = await fetchLink(link);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  test('a user who is not a member any more is refused', async () => {
    await stack.setMember(false);
    const answer = await fetchLink(link);
    expect([answer.status, answer.body.code]).toEqual([403, 'hirer_forbidden']);
    await stack.setMember(true);
    expect((await fetchLink(link)).status).toBe(200);
  });

  test('of a user who stops being a member, a file under way breaks off', async () => {
    stack.playground.faults.add({ route: 'attachments', dripMs: 10 });
    const file = await fetch(stack.url + link, { headers: { authorization: `Bearer ${stack.amelia}` } });
    expect(file.status).toBe(200);
    await stack.setMember(false);
    await expect(file.arrayBuffer()).rejects.toThrow();
    await stack.setMember(true);
  });

  test('of a user who stops being a member before its first byte, is a refusal that names no file', async () => {
    stack.playground.faults.add({ route: 'attachments', dripMs: 30_000 });
    const asked = fetchLink(link);
    await until(() => stack.playground.faults.list().length === 0);
    await stack.setMember(false);
    const { status, headers, body } = await asked;
    expect([status, body.code, headers['content-disposition']]).toEqual([403, 'hirer_forbidden', undefined]);
    await stack.setMember(true);
    const [record] = await stack.audit(`request=${headers['x-request-id']}`);
    expect(record).toMatchObject({ action: 'attachment', outcome: 'hirer_forbidden' });
  });

  test('that breaks off during the second membership check is upstream_error, and later requests are served', async () => {
    beforeSecondCheck((file) => until(() => file.closed));
    stack.playground.faults.add({ route: 'attachments', truncate: true });
    const refused = await fetchLink(link);
    expect(refused).toMatchObject({ status: 502, body: { code: 'upstream_error' } });
    const records = await stack.audit(`request=${refused.headers['x-request-id']}`);
    expect(records).toMatchObject([{ action: 'attachment', outcome: 'upstream_error' }]);
    jest.restoreAllMocks();
    expect((await fetchLink(link)).status).toBe(200);
  });

  test('whose caller leaves during the second membership check is no fault of the upstream', async () => {
    const opened = Promise.withResolvers<void>();
    const checked = Promise.withResolvers<void>();
    beforeSecondCheck(async (_file, context) => {
      opened.resolve();
      await until(() => context.status > 0);
      await nextTurn();
      checked.resolve();
    });
    stack.playground.faults.add({ route: 'attachments', dripMs: 1_000 });
    const leaving = new AbortController();
    const before = stack.logText().length;
    const headers = { authorization: `Bearer ${stack.amelia}` };
    const asked = fetch(stack.url + link, { headers, signal: leaving.signal }).catch(() => 'left');
    await opened.promise;
    leaving.abort();
    expect(await asked).toBe('left');
    await checked.promise;
    jest.restoreAllMocks();
    expect((await fetchLink(link)).status).toBe(200);
    expect(stack.logText().slice(before)).not.toContain('"level":"error"');
  });
});
