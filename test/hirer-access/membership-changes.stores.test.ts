import pg from 'pg';
import { MembershipCache } from '../../src/hirer-access/membership-cache.js';
import { SqlMemberships, type UserMembership } from '../../src/hirer-access/sources/sql-memberships.js';
import type { Database } from '../../src/storage/database.js';
import { allScopes, anEndUser, membershipAt } from '../support/parts.js';
import { forgetMemberships } from '../support/stored.js';
import { testDatabases, type TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';

const ada = anEndUser('ada');
const HIRER = 'seek:org:acme';
const MEMBER: UserMembership = { user: 'ada', hirerId: HIRER, roles: ['member'] };
const OWNER: UserMembership = { ...MEMBER, roles: ['owner'] };

describe.each(testDatabases())('a change of memberships ($name)', ({ isServer, open }) => {
  let database: TestDatabase;
  let here: SqlMemberships;
  let accessHere: MembershipCache;
  let accessThere: MembershipCache;

  beforeAll(async () => {
    database = await open();
    here = new SqlMemberships(database.database);
    accessHere = new MembershipCache(here, allScopes, () => 0);
    accessThere = new MembershipCache(new SqlMemberships(database.replica()), allScopes, () => 0);
  });

  /** The database, where nobody can be notified. */
  const mute = (): Database =>
    Object.create(database.database, {
      publish: { value: () => Promise.reject(new Error('no connection')) },
    });

  const remembers = async (access: MembershipCache): Promise<boolean> => {
    await membershipAt(access, ada, HIRER);
    return !(membershipAt(access, ada, HIRER) instanceof Promise);
  };

  test('is in force here once it is reported as done', async () => {
    await until(() => remembers(accessHere));
    await here.grant(ada.issuer, MEMBER);
    expect(await membershipAt(accessHere, ada, HIRER)).toBeDefined();
    await here.revoke(ada.issuer, MEMBER);
    expect(await membershipAt(accessHere, ada, HIRER)).toBeUndefined();
  });

  test('is in force here even when the other replicas cannot be notified, which is reported', async () => {
    const store = new SqlMemberships(mute());
    const access = new MembershipCache(store, allScopes, () => 0);
    await here.grant(ada.issuer, MEMBER);
    await until(() => remembers(access));
    await expect(store.revoke(ada.issuer, MEMBER)).rejects.toThrow('no connection');
    expect(await membershipAt(access, ada, HIRER)).toBeUndefined();
  });

  test('reaches every other replica', async () => {
    await here.grant(ada.issuer, MEMBER);
    await until(
      async () => (await membershipAt(accessThere, ada, HIRER)) !== undefined && remembers(accessThere),
    );
    await here.revoke(ada.issuer, MEMBER);
    await until(() => membershipAt(accessThere, ada, HIRER) instanceof Promise);
    expect(await membershipAt(accessThere, ada, HIRER)).toBeUndefined();
  });

  test.each<[string, (memberships: SqlMemberships) => Promise<unknown>]>([
    ['an end of all memberships', (memberships) => memberships.revokeAll(ada.issuer, 'ada')],
    ['a grant', (memberships) => memberships.grant(ada.issuer, MEMBER)],
  ])('reaches every other replica when %s is repeated, since nobody was notified', async (_title, change) => {
    await here.grant(ada.issuer, OWNER);
    await until(async () => {
      const known = await membershipAt(accessThere, ada, HIRER);
      return known?.roles[0] === 'owner' && remembers(accessThere);
    });
    await expect(change(new SqlMemberships(mute()))).rejects.toThrow('no connection');
    await change(here);
    await until(() => membershipAt(accessThere, ada, HIRER) instanceof Promise);
    expect((await membershipAt(accessThere, ada, HIRER))?.roles[0]).not.toBe('owner');
    await here.revoke(ada.issuer, MEMBER);
  });

  test('leaves what is known of other users, here and there', async () => {
    const bea = anEndUser('bea');
    const isKnown = (access: MembershipCache): boolean =>
      !(membershipAt(access, bea, HIRER) instanceof Promise);
    await until(async () => {
      await Promise.all([membershipAt(accessHere, bea, HIRER), membershipAt(accessThere, bea, HIRER)]);
      return isKnown(accessHere) && isKnown(accessThere);
    });
    await here.grant(ada.issuer, MEMBER);
    await until(async () => (await membershipAt(accessThere, ada, HIRER)) !== undefined);
    expect([isKnown(accessHere), isKnown(accessThere)]).toEqual([true, true]);
    await here.revoke(ada.issuer, MEMBER);
  });

  test.each(['', 'junk', '[]', '["only one"]', '{}'])(
    'of %j is taken for one of all users',
    async (notice) => {
      await until(() => remembers(accessHere));
      await database.replica().publish('memberships', notice);
      let isOutdated = false;
      await until(() => (isOutdated ||= membershipAt(accessHere, ada, HIRER) instanceof Promise));
      expect(isOutdated).toBe(true);
    },
  );

  if (!isServer) return;

  test('made while a replica could not listen is seen by it immediately, since it cached nothing', async () => {
    await here.grant(ada.issuer, MEMBER);
    await until(() => remembers(accessThere));
    const admin = new pg.Client({ connectionString: database.settings['DATABASE_URL']! });
    await admin.connect();
    await admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'partner-bff notices'`);
    await admin.end();
    await until(() => membershipAt(accessThere, ada, HIRER) instanceof Promise);
    await forgetMemberships(database.database);
    expect(await membershipAt(accessThere, ada, HIRER)).toBeUndefined();
    await until(() => remembers(accessThere));
  });
});
