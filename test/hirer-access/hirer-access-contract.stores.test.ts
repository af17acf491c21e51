import { endsByItself } from '../support/machine.js';
import { MembershipCache } from '../../src/hirer-access/membership-cache.js';
import { ClaimMemberships } from '../../src/hirer-access/sources/claim-memberships.js';
import { SqlMemberships } from '../../src/hirer-access/sources/sql-memberships.js';
import type { EndUser } from '../../src/http/end-user.js';
import type { HirerAccess } from '../../src/hirer-access/hirer-access.port.js';
import type { StatedMembership } from '../../src/hirer-access/membership.js';
import { HttpMemberships } from '../../src/hirer-access/sources/http-memberships.js';
import { RoleScopes } from '../../src/hirer-access/role-scopes.js';
import { HttpClient } from '../../src/http/outgoing/http-client.js';
import { CLIENT_SETTINGS, anEndUser, membershipAt } from '../support/parts.js';
import { json, startJsonServer } from '../support/json-server.js';
import { testDatabases } from '../support/test-database.js';
import { until } from '../support/until.js';

const ISSUER = 'https://idp.test';
const ACME = 'seek:org:acme';
const BOLT = 'seek:org:bolt';

/** Users with overlapping hirers; everyone else has none. */
const WORLD: Readonly<Record<string, readonly StatedMembership[]>> = {
  ada: [
    { hirerId: ACME, roles: ['member'] },
    { hirerId: BOLT, roles: ['owner', 'poster'] },
  ],
  bob: [{ hirerId: BOLT, roles: ['viewer'] }],
  // what an administrator, a service or a claim must not be able to give
  mallory: [
    { hirerId: ACME, roles: ['machine'] },
    { hirerId: BOLT, roles: ['viewer', 'machine'] },
  ],
  "o'hara; -- %_": [{ hirerId: ACME, roles: ['member'] }],
};

const scopes = new RoleScopes({
  ALLOWED_SCOPES: ['query:b', 'query:a'],
  ROLE_SCOPES: new Map([
    ['owner', ['query:b']],
    ['viewer', []],
  ]),
});

interface Subject {
  readonly access: HirerAccess;
  user(subject: string): EndUser;
}

const ADAPTERS: readonly [string, () => Promise<Subject>][] = [
  ...testDatabases().map(({ name, open }): [string, () => Promise<Subject>] => [
    `database (${name})`,
    async () => {
      const { database } = await open();
      const store = new SqlMemberships(database);
      for (const [user, memberships] of Object.entries(WORLD)) {
        for (const one of [...memberships].reverse()) await store.grant(ISSUER, { user, ...one });
      }
      return { access: new MembershipCache(store, scopes), user: anEndUser };
    },
  ]),
  [
    'claim',
    async () => ({
      access: new ClaimMemberships('hirers', scopes),
      user: (subject) => anEndUser(subject, { hirers: [...(WORLD[subject] ?? [])].reverse() }),
    }),
  ],
  [
    'http',
    async () => {
      const server = await startJsonServer(({ body }, response) => {
        const { issuer, subject } = JSON.parse(body) as Record<string, string>;
        const memberships = issuer === ISSUER ? [...(WORLD[subject!] ?? [])].reverse() : [];
        json({ memberships })({} as never, response);
      });
      const client = new HttpClient('membership-service', server.url, CLIENT_SETTINGS, { connectionsMax: 2 });
      endsByItself(() => client.close());
      const source = new HttpMemberships(server.url, client);
      return { access: new MembershipCache(source, scopes), user: anEndUser };
    },
  ],
];

describe.each(ADAPTERS)('hirer access by %s', (_name, open) => {
  let subject: Subject;
  beforeAll(async () => (subject = await open()));

  const listOf = async (user: string) => [...(await subject.access.list(subject.user(user))).values()];
  const find = async (user: string, hirerId: string) =>
    membershipAt(subject.access, subject.user(user), hirerId);

  test('a member is found with the roles there, and the scopes that they open', async () => {
    expect(await find('ada', BOLT)).toEqual({
      hirerId: BOLT,
      roles: ['owner', 'poster'],
      scopes: ['query:b'],
    });
    expect(await find('ada', ACME)).toMatchObject({ scopes: ['query:a', 'query:b'] });
    expect(await find('bob', BOLT)).toEqual({ hirerId: BOLT, roles: ['viewer'], scopes: [] });
  });

  test('the reserved role machine is never granted, and a membership with no other role does not count', async () => {
    const held = [{ hirerId: BOLT, roles: ['viewer'], scopes: [] }];
    expect([await find('mallory', ACME), await find('mallory', BOLT)]).toEqual([undefined, held[0]]);
    expect(await listOf('mallory')).toEqual(held);
  });

  test.each([
    ['a hirer of others', 'bob', ACME],
    ['a hirer that does not exist', 'ada', 'seek:org:none'],
    ['a user of no hirer', 'eve', ACME],
    ['a part of an id', 'ada', 'seek:org:acm'],
    ['an id in different case', 'ada', ACME.toUpperCase()],
    ['an empty id', 'ada', ''],
    ['a pattern', 'ada', '%'],
    ['a subject in different case', 'ADA', ACME],
    ['a property of every object', 'ada', '__proto__'],
  ])('%s gives no membership', async (_title, user, hirerId) => {
    expect(await find(user, hirerId)).toBeUndefined();
  });

  test('a subject full of punctuation is a subject like any other', async () => {
    expect(await find("o'hara; -- %_", ACME)).toMatchObject({ hirerId: ACME, roles: ['member'] });
  });

  test('the list has every membership, sorted by hirer id', async () => {
    expect(await listOf('ada')).toMatchObject(WORLD['ada']!);
    expect(await listOf('eve')).toEqual([]);
  });

  test('what is in memory is given synchronously', async () => {
    const user = subject.user('ada');
    // a change that PostgreSQL is slow to tell outdates what was found before it
    await until(async () => {
      await find('ada', ACME);
      return !(membershipAt(subject.access, user, ACME) instanceof Promise);
    });
    expect(membershipAt(subject.access, user, ACME)).toMatchObject({ hirerId: ACME, roles: ['member'] });
  });
});
