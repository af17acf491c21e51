import { call, askToken } from '../support/call.js';
import { startStack, type Stack } from '../support/start-stack.js';
import { TEST_DATABASES, type TestDatabase } from '../support/test-database.js';

const HIRER = 'seek:org:acme';
const SCOPE = 'query:organizations';

describe.each(TEST_DATABASES)('memberships on the ops listener ($name)', ({ open }) => {
  let database: TestDatabase;
  let stack: Stack;
  beforeAll(async () => {
    database = await open();
    stack = await startStack(database.settings);
  });
  afterAll(async () => {
    await stack.close();
    await database.drop();
  });

  const at = (user: string, hirerId: string): string =>
    `${stack.opsUrl}/memberships/${encodeURIComponent(user)}/${encodeURIComponent(hirerId)}`;
  const put = (user: string, hirerId: string, body?: unknown) =>
    call(at(user, hirerId), {
      method: 'PUT',
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    });
  const list = (query: Record<string, string>) =>
    call(`${stack.opsUrl}/memberships?${new URLSearchParams(query).toString()}`);

  test('a membership is created, listed, changed and ended', async () => {
    const made = await put('ada', HIRER);
    expect(made).toMatchObject({ status: 200, json: { user: 'ada', hirerId: HIRER, roles: ['member'] } });
    expect(Math.abs(Date.now() - made.json.updatedAt)).toBeLessThan(60_000);
    expect((await list({ user: 'ada' })).json).toEqual({ items: [made.json], next: null });

    expect((await put('ada', HIRER, { roles: ['owner', 'poster'] })).json.roles).toEqual(['owner', 'poster']);
    expect((await list({ hirer: HIRER })).json.items).toMatchObject([
      { user: 'ada', roles: ['owner', 'poster'] },
    ]);

    expect(await call(at('ada', HIRER), { method: 'DELETE' })).toMatchObject({ status: 204, text: '' });
    expect((await list({ user: 'ada' })).json).toEqual({ items: [], next: null });
  });

  test('ending a membership that does not exist is not an error', async () => {
    expect((await call(at('nobody', HIRER), { method: 'DELETE' })).status).toBe(204);
  });

  test('an empty object means the default role', async () => {
    expect((await put('ada', HIRER, {})).json.roles).toEqual(['member']);
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
    expect((await put(user, 'seek:org:a/b:c')).json).toMatchObject({ user, hirerId: 'seek:org:a/b:c' });
    expect((await list({ user })).json.items).toHaveLength(1);
    expect((await call(at(user, 'seek:org:a/b:c'), { method: 'DELETE' })).status).toBe(204);
    expect((await list({ user })).json.items).toEqual([]);
  });

  test('a long list comes in pages that miss nothing and repeat nothing', async () => {
    const users = Array.from({ length: 230 }, (_, index) => `user-${String(index).padStart(3, '0')}`);
    await Promise.all(users.map((user) => put(user, 'seek:org:large')));
    const seen: string[] = [];
    const sizes: number[] = [];
    let after: string | null = '';
    while (after !== null) {
      const page = await list({ hirer: 'seek:org:large', ...(after && { after }) });
      seen.push(...page.json.items.map((item: { user: string }) => item.user));
      sizes.push(page.json.items.length);
      after = page.json.next;
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
    expect(answer).toMatchObject({ status: 400, json: { code: 'invalid_request' } });
    const named = answer.json.errors.map(({ field }: { field: string }) => field);
    expect(named).toEqual(expect.arrayContaining(fields));
    expect((await list({ user: 'mallory' })).json.items).toEqual([]);
  });

  test('a path with two faults names both', async () => {
    const answer = await put('x'.repeat(256), 'y'.repeat(256));
    expect(answer.json.errors.map(({ field }: { field: string }) => field).sort()).toEqual([
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
    const answer = await call(`${stack.opsUrl}/memberships?${query}`);
    expect(answer).toMatchObject({ status: 400, json: { errors: [{ field }] } });
  });

  test('each change is in the audit trail, under the pseudonym', async () => {
    await put('audited@example.test', HIRER, { roles: ['owner'] });
    await call(at('audited@example.test', HIRER), { method: 'DELETE' });
    const trail = await call(`${stack.opsUrl}/audit?hirer=${HIRER}`);
    const [revoked, granted] = trail.json.items;
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
      expect((await call(at('amelia', hirerId!), { method: 'DELETE' })).status).toBe(204);
      expect((await askToken(stack, token, { hirerId, scope: SCOPE })).json.code).toBe('hirer_forbidden');
    }
  });
});

test.each(['claim', 'http'])(
  'with HIRER_ACCESS=%s the routes say that memberships are kept elsewhere',
  async (kind) => {
    const stack = await startStack({ HIRER_ACCESS: kind, HIRER_ACCESS_URL: 'http://127.0.0.1:9/' });
    const answers = await Promise.all([
      call(`${stack.opsUrl}/memberships`),
      call(`${stack.opsUrl}/memberships/ada/${HIRER}`, { method: 'PUT' }),
      call(`${stack.opsUrl}/memberships/ada/${HIRER}`, { method: 'DELETE' }),
    ]);
    for (const { json } of answers) {
      expect(json).toMatchObject({ code: 'not_found', detail: expect.stringContaining('HIRER_ACCESS') });
    }
    await stack.close();
  },
);
