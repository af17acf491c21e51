import supertest from 'supertest';
import { CONFIG, type Config } from '../../src/config/load-config.js';
import { AttachmentLinks } from '../../src/operations/attachment-links.js';
import { getAs, type Answer } from '../support/start-stack.js';
import { BANKSIA, useProxyStack } from './proxy-stack.js';

const stack = useProxyStack(() => ({ CORS_ORIGINS: 'https://app.example' }));
let sealed: string;
beforeAll(async () => {
  sealed = (await stack.sealedLink()).link;
});

const create = async (body: unknown, token: string | undefined = stack.amelia): Promise<Answer> =>
  supertest(stack.url)
    .post('/attachments/links')
    .set({ 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) })
    .send(JSON.stringify(body));

const newLink = async (): Promise<string> => (await create({ path: sealed })).body.url;

const use = async (link: string, method: 'get' | 'head' = 'get'): Promise<Answer> =>
  supertest(stack.url)[method](link);

test('a link gives the file once, to someone without credentials, with the headers of the file itself', async () => {
  const created = await create({ path: sealed });
  expect([created.status, created.body]).toEqual([
    200,
    { url: expect.stringMatching(/^\/attachments\/links\/[\w-]+$/), expires_in: 60 },
  ]);
  expect(created.body.url).not.toContain(sealed.slice('/attachments/'.length));
  const file = await use(created.body.url);
  const direct = await getAs(stack.url, sealed, stack.amelia);
  expect([file.status, file.text]).toEqual([200, direct.text]);
  expect(file.headers['content-disposition']).toBe(direct.headers['content-disposition']);
  expect(file.headers['content-security-policy']).toContain('sandbox');
  expect(file.headers['referrer-policy']).toBe('no-referrer');
  const again = await use(created.body.url);
  expect([again.status, again.body.code]).toEqual([404, 'not_found']);
});

test('a look at the head does not use a link up', async () => {
  const link = await newLink();
  const head = await use(link, 'head');
  expect([head.status, head.headers['allow']]).toEqual([405, 'GET']);
  expect((await use(link)).status).toBe(200);
});

test('a link of a user who is not a member any more is refused, and used up', async () => {
  const link = await newLink();
  await stack.setMember(false);
  const refused = await use(link);
  expect([refused.status, refused.body.code]).toEqual([403, 'hirer_forbidden']);
  expect((await create({ path: sealed })).body.code).toBe('hirer_forbidden');
  await stack.setMember(true);
  expect((await use(link)).status).toBe(404);
});

test.each([
  ['no user', { path: '/attachments/x' }, '', 401, 'unauthenticated'],
  ['a link that is not sealed here', { path: '/attachments/x' }, undefined, 404, 'not_found'],
  ['another address', { path: 'https://evil.example/attachments/x' }, undefined, 400, 'invalid_request'],
  ['another path', { path: '/attachments/../graphql' }, undefined, 400, 'invalid_request'],
  ['no path', {}, undefined, 400, 'invalid_request'],
  ['a member that is not known', { path: '/attachments/x', ttl: 9 }, undefined, 400, 'invalid_request'],
])('%s is refused', async (_case, body, token, status, code) => {
  const answer = await create(body, token);
  expect([answer.status, answer.body.code]).toEqual([status, code]);
});

test("another user's sealed link makes no link", async () => {
  const answer = await create({ path: sealed }, await stack.playground.signIn('bayu'));
  expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
});

test('an altered link is the same 404 as one that was used', async () => {
  const link = await newLink();
  const altered = link.slice(0, -5) + (link.at(-5) === 'A' ? 'B' : 'A') + link.slice(-4);
  const answer = await use(altered);
  expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
  expect((await use(link)).status).toBe(200);
});

test('making and using a link are in the audit trail, under the user', async () => {
  const link = await newLink();
  await use(link);
  await use(link);
  const [again, used, made] = await stack.audit();
  expect(made).toMatchObject({ action: 'attachment-link', outcome: 'ok', hirerId: BANKSIA });
  expect(used).toMatchObject({ action: 'attachment', outcome: 'ok', user: made.user, hirerId: BANKSIA });
  expect(again).toMatchObject({ action: 'attachment', outcome: 'not_found' });
  expect(again.user).toBeFalsy();
});

test('the longest sealed link is fetched, and makes a link that is', async () => {
  const links = stack.service.app.get(AttachmentLinks, { strict: false });
  const { user: userId } = (await supertest(stack.opsUrl).get('/users?subject=amelia')).body;
  const known = links.open(sealed.slice('/attachments/'.length), { userId })!;
  const { origin } = stack.service.app.get<Config>(CONFIG).UPSTREAM_URL!;
  const path = links.replace(`${origin}${known.path}?page=`.padEnd(5_500, 'x'), { ...known, userId });
  const before = stack.calls('attachments');
  await getAs(stack.url, path, stack.amelia);
  await use((await create({ path })).body.url);
  expect(stack.calls('attachments')).toBe(before + 2);
});

test('a link of a user who was erased is gone, and its use does not bring the pseudonym back', async () => {
  const link = await newLink();
  const [{ user }] = (await stack.audit('action=attachment-link')) as [{ user: string }];
  expect(user).toMatch(/^[\da-f-]{36}$/);
  await supertest(stack.opsUrl).delete('/users/amelia').expect(200);
  expect((await use(link)).status).toBe(404);
  expect(await stack.audit(`user=${user}`)).toEqual([]);
});
