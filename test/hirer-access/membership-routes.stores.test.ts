import supertest from 'supertest';
import { askToken, sendBody, type Answer, startStack, type Stack } from '../support/start-stack.js';
import { testDatabases, type TestDatabase } from '../support/test-database.js';

const HIRER = 'seek:org:acme';
const SCOPE = 'query:organizations';

describe.each(testDatabases())('memberships on the ops listener ($name)', ({ open }) => {
  let database: TestDatabase;
  let stack: Stack;
  beforeAll(async () => {
    database = await open();
    stack = await startStack(database.settings);
  });

  const at = (user: string, hirerId: string): string =>
    `${stack.opsUrl}/memberships/${encodeURIComponent(user)}/${encodeURIComponent(hirerId)}`;
  const put = async (user: string, hirerId: string, body?: unknown): Promise<Answer> => {
    const asked = supertest(at(user, hirerId)).put('');
    return body === undefined ? asked : sendBody(asked.type('application/json'), body);
  };
  const list = async (query: Record<string, string>): Promise<Answer> =>
    supertest(stack.opsUrl).get('/memberships').query(query);

  test('a membership is created, listed, changed and ended', async () => {
    const made = await put('ada', HIRER);
    expect(made).toMatchObject({ status: 200, body: { user: 'ada', hirerId: HIRER, roles: ['member'] } });
    expect(Math.abs(Date.now() - made.body.updatedAt)).toBeLessThan(60_000);
    expect((await list({ user: 'ada' })).body).toEqual({ items: [made.body], next: null });

    expect((await put('ada', HIRER, { roles: ['owner', 'poster'] })).body.roles).toEqual(['owner', 'poster']);
    expect((await list({ hirer: HIRER })).body.items).toMatchObject([
      { user: 'ada', roles: ['owner', 'poster'] },
    ]);

    expect(await supertest(at('ada', HIRER)).delete('')).toMatchObject({ status: 204, text: '' });
    expect((await list({ user: 'ada' })).body).toEqual({ items: [], next: null });
  });

  test('ending a membership that does not exist is not an error', async () => {
    expect((await supertest(at('nobody', HIRER)).delete('')).status).toBe(204);
  });

  test('an empty object means the default role', async () => {
    expect((await put('ada', HIRER, {})).body.roles).toEqual(['member']);
  });

  test.each([
    'auth0|6f1e',
    'a/b/c',
    'ada@example.test',
    '100% real?#&',
    '../admin',
    'ünïcödé 人',
    '.'.repeat(3),
  ])('the subject %p is kept as it is', async (user) => {
    expect((await put(user, 'seek:org:a/b:c')).body).toMatchObject({ user, hirerId: 'seek:org:a/b:c' });
    expect((await list({ user })).body.items).toHaveLength(1);
    expect((await supertest(at(user, 'seek:org:a/b:c')).delete('')).status).toBe(204);
    expect((await list({ user })).body.items).toEqual([]);
  });

  test('a long list comes in pages that miss nothing and repeat nothing', async () => {
    const users = Array.from({ length: 230 }, (_, index) => `user-${String(index).padStart(3, '0')}`);
    await Promise.all(users.map((user) => put(user, 'seek:org:large')));
    const seen: string[] = [];
    const sizes: number[] = [];
    let after: string | null = '';
    while (after !== null) {
      const page = await list({ hirer: 'seek:org:large', ...(after && { after }) });
      seen.push(...page.body.items.map((item: { user: string }) => item.user));
      sizes.push(page.body.items.length);
      after = page.body.next;
    }
    expect(seen).toEqual(users);
    expect(sizes).toEqual([100, 100, 30]);
  });

  test.each([
    ['roles that are not a list', { roles: 'owner' }, ['roles']],
    ['no role', { roles: [] }, ['roles']],
    ['null for roles', { roles: null }, ['roles']],
    ['a role that is not a word', { roles: ['owner poster'] }, ['roles']],
    ['a role twice', { roles: ['owner', 'owner'] }, ['roles']],
    ['too many roles', { roles: Array.from({ length: 21 }, (_, index) => `r${index}`) }, ['roles']],
    ['an unknown member, and another fault', { roles: 7, admin: true }, ['admin', 'roles']],
    ['a property of every object', '{"__proto__": {"roles": ["owner"]}, "roles": 7}', ['roles']],
    ['a list', ['owner'], ['']],
    ['malformed JSON', '{"roles":', ['']],
  ])('a body with %s is refused and changes nothing', async (_title, body, fields) => {
    const answer = await put('mallory', HIRER, body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    const named = answer.body.errors.map(({ field }: { field: string }) => field);
    expect(named).toEqual(expect.arrayContaining(fields));
    expect((await list({ user: 'mallory' })).body.items).toEqual([]);
  });

  test('a path with two faults names both', async () => {
    const answer = await put('x'.repeat(256), 'y'.repeat(256));
    expect(answer.body.errors.map(({ field }: { field: string }) => field).sort()).toEqual([
      'hirerId',
      'user',
    ]);
  });

  test.each([
    ['an unknown filter', 'role=owner', 'role'],
    ['an invalid cursor', 'after=zzz', 'after'],
    ['a cursor of another list', `after=${Buffer.from('[1,2]').toString('base64url')}`, 'after'],
    ['a filter given twice', 'user=a&user=b', 'user'],
    ['an empty filter', 'user=', 'user'],
  ])('%s is refused', async (_title, query, field) => {
    const answer = await supertest(stack.opsUrl).get(`/memberships?${query}`);
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field }] } });
  });

  test('each change is in the audit trail, under the pseudonym', async () => {
    await put('audited@example.test', HIRER, { roles: ['owner'] });
    await supertest(at('audited@example.test', HIRER)).delete('');
    const trail = await supertest(stack.opsUrl).get(`/audit?hirer=${HIRER}`);
    const [revoked, granted] = trail.body.items;
    expect(granted).toMatchObject({
      action: 'membership.grant',
      outcome: 'ok',
      hirerId: HIRER,
      roles: ['owner'],
    });
    expect(revoked).toMatchObject({ action: 'membership.revoke', outcome: 'ok', user: granted.user });
    expect(granted.user).toMatch(/^[\da-f]{8}-/);
    expect(trail.text + stack.logText()).not.toContain('audited@example.test');
  });

  test('a member is admitted, and refused on the very next request after the membership ended', async () => {
    const [hirerId] = stack.playground.demo.hirers.map((hirer) => hirer.hirerId);
    const token = await stack.playground.signIn('amelia');
    for (let round = 0; round < 20; round += 1) {
      expect((await put('amelia', hirerId!)).status).toBe(200);
      expect((await askToken(stack, token, { hirerId, scope: SCOPE })).status).toBe(200);
      expect((await supertest(at('amelia', hirerId!)).delete('')).status).toBe(204);
      expect((await askToken(stack, token, { hirerId, scope: SCOPE })).body.code).toBe('hirer_forbidden');
    }
  });
});

test.each(['claim', 'http'])(
  'with HIRER_ACCESS=%s the routes say that memberships are kept elsewhere',
  async (kind) => {
    const stack = await startStack({ HIRER_ACCESS: kind, HIRER_ACCESS_URL: 'http://127.0.0.1:9/' });
    const answers = await Promise.all([
      supertest(stack.opsUrl).get('/memberships'),
      supertest(stack.opsUrl).put(`/memberships/ada/${HIRER}`),
      supertest(stack.opsUrl).delete(`/memberships/ada/${HIRER}`),
    ]);
    for (const { body } of answers) {
      expect(body).toMatchObject({ code: 'not_found', detail: expect.stringContaining('HIRER_ACCESS') });
    }
  },
);
