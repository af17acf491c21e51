import pg from 'pg';
import { CachedHirerAccess } from '../../src/hirer-access/sources/cached-hirer-access.js';
import { DatabaseMemberships } from '../../src/hirer-access/sources/database-memberships.js';
import type { IssuerMemberships } from '../../src/hirer-access/sources/issuer-memberships.js';
import type { Database } from '../../src/storage/database.js';
import { Metrics } from '../../src/telemetry/metrics.js';
import { anEndUser } from '../support/an-end-user.js';
import { forgetMemberships } from '../support/stored.js';
import { TEST_DATABASES, type TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';

const ada = anEndUser('ada');
const SETTINGS = { END_USER_ISSUER: [ada.issuer] };
const HIRER = 'seek:org:acme';
const GRANT = { dryRun: false, replace: false };

describe.each(TEST_DATABASES)('a change of memberships ($name)', ({ isServer, open }) => {
  let database: TestDatabase;
  let here: DatabaseMemberships;
  let accessHere: CachedHirerAccess;
  let accessThere: CachedHirerAccess;

  beforeAll(async () => {
    database = await open();
    here = new DatabaseMemberships(database.database, SETTINGS);
    accessHere = new CachedHirerAccess(here, new Metrics(), () => 0);
    accessThere = new CachedHirerAccess(
      new DatabaseMemberships(database.replica(), SETTINGS),
      new Metrics(),
      () => 0,
    );
  });
  afterAll(() => database.drop());

  /** True if the answer comes from memory. */
  const remembers = async (access: CachedHirerAccess): Promise<boolean> => {
    await access.find(ada, HIRER);
    return !(access.find(ada, HIRER) instanceof Promise);
  };

  test('is in force here once it is reported as done', async () => {
    await until(() => remembers(accessHere));
    await here.of().grant('ada', HIRER, ['member']);
    expect(await accessHere.find(ada, HIRER)).toBeDefined();
    await here.of().revoke('ada', HIRER);
    expect(await accessHere.find(ada, HIRER)).toBeUndefined();
  });

  test('shows in the roles in use', async () => {
    await here.of().grant('bea', HIRER, ['Viewer', 'owner']);
    await here.of().grant('cy', HIRER, ['owner']);
    expect(await here.rolesInUse()).toEqual(new Set(['Viewer', 'owner']));
    await here.of().revoke('bea', HIRER);
    expect(await here.rolesInUse()).toEqual(new Set(['owner']));
    await here.of().revoke('cy', HIRER);
  });

  test('is in force here even when the other replicas cannot be notified, which is reported', async () => {
    const mute: Database = Object.create(database.database, {
      publish: { value: () => Promise.reject(new Error('no connection')) },
    });
    const store = new DatabaseMemberships(mute, SETTINGS);
    const access = new CachedHirerAccess(store, new Metrics(), () => 0);
    await here.of().grant('ada', HIRER, ['member']);
    await until(() => remembers(access));
    await expect(store.of().revoke('ada', HIRER)).rejects.toThrow('no connection');
    expect(await access.find(ada, HIRER)).toBeUndefined();
  });

  test('reaches every other replica', async () => {
    await here.of().grant('ada', HIRER, ['member']);
    await until(async () => (await accessThere.find(ada, HIRER)) !== undefined && remembers(accessThere));
    await here.of().revoke('ada', HIRER);
    await until(() => accessThere.find(ada, HIRER) instanceof Promise);
    expect(await accessThere.find(ada, HIRER)).toBeUndefined();
  });

  const [MEMBER, OWNER] = ['member', 'owner'].map((role) => ({ user: 'ada', hirerId: HIRER, roles: [role] }));

  test.each<[string, (memberships: IssuerMemberships) => Promise<unknown>]>([
    ['an end of all memberships', (memberships) => memberships.revokeAll('ada')],
    ['an import', (memberships) => memberships.import([MEMBER!], GRANT)],
  ])('reaches every other replica when %s is repeated, since nobody was notified', async (_title, change) => {
    const mute: Database = Object.create(database.database, {
      publish: { value: () => Promise.reject(new Error('no connection')) },
    });
    await here.of().import([OWNER!], GRANT);
    await until(async () => {
      const known = await accessThere.find(ada, HIRER);
      return known?.roles[0] === 'owner' && remembers(accessThere);
    });
    await expect(change(new DatabaseMemberships(mute, SETTINGS).of())).rejects.toThrow('no connection');
    await change(here.of());
    await until(() => accessThere.find(ada, HIRER) instanceof Promise);
    expect((await accessThere.find(ada, HIRER))?.roles[0]).not.toBe('owner');
    await here.of().revoke('ada', HIRER);
  });

  test('replaces the memberships of one issuer, more than fit a statement, and leaves those of others', async () => {
    const [first, second] = ['https://one.example/', 'https://two.example/'] as const;
    const store = new DatabaseMemberships(database.database, {
      END_USER_ISSUER: [first, second],
    });
    const of = (name: string, count: number) =>
      Array.from({ length: count }, (_, index) => ({
        user: `${name}${index}`,
        hirerId: HIRER,
        roles: ['member'],
      }));
    await store.of(first).import([...of('old', 1_201), ...of('kept', 3)], GRANT);
    await store.of(second).import(of('old', 2), GRANT);
    const list = [...of('kept', 3), ...of('new', 1)];
    const { granted, revoked } = await store.of(first).import(list, { ...GRANT, replace: true });
    expect([granted.length, revoked.length]).toEqual([1, 1_201]);
    const usersOf = async (issuer: string) => (await store.of(issuer).list({})).items.map(({ user }) => user);
    expect(await usersOf(first)).toEqual(['kept0', 'kept1', 'kept2', 'new0']);
    expect(await usersOf(second)).toEqual(['old0', 'old1']);
    await forgetMemberships(database.database);
  });

  test('leaves what is known of other users, here and there', async () => {
    const bea = anEndUser('bea');
    const isKnown = (access: CachedHirerAccess): boolean => !(access.find(bea, HIRER) instanceof Promise);
    await until(async () => {
      await Promise.all([accessHere.find(bea, HIRER), accessThere.find(bea, HIRER)]);
      return isKnown(accessHere) && isKnown(accessThere);
    });
    await here.of().grant('ada', HIRER, ['member']);
    await until(async () => (await accessThere.find(ada, HIRER)) !== undefined);
    expect([isKnown(accessHere), isKnown(accessThere)]).toEqual([true, true]);
    await here.of().revoke('ada', HIRER);
  });

  test.each(['', 'junk', '[]', '["only one"]', '{}'])(
    'of %j is taken for one of all users',
    async (notice) => {
      await until(() => remembers(accessHere));
      await database.replica().publish('memberships', notice);
      let isOutdated = false;
      await until(() => (isOutdated ||= accessHere.find(ada, HIRER) instanceof Promise));
      expect(isOutdated).toBe(true);
    },
  );

  if (!isServer) return;

  test('made while a replica could not listen is seen by it immediately, since it cached nothing', async () => {
    await here.of().grant('ada', HIRER, ['member']);
    await until(() => remembers(accessThere));
    const admin = new pg.Client({ connectionString: database.settings['DATABASE_URL']! });
    await admin.connect();
    await admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'partner-bff notices'`);
    await admin.end();
    await until(() => accessThere.find(ada, HIRER) instanceof Promise);
    await forgetMemberships(database.database);
    expect(await accessThere.find(ada, HIRER)).toBeUndefined();
    await until(() => remembers(accessThere));
  });
});
