import supertest from 'supertest';
import type { Playground } from '../../playground/src/playground.js';
import type { Service } from '../../src/service.js';
import { newFolder } from '../support/machine.js';
import {
  askToken,
  type Json,
  openPlayground,
  serviceEnvironment,
  startSilently,
  TEST_KEYS,
  untilReady,
} from '../support/start-stack.js';
import { testDatabases, type TestDatabase } from '../support/test-database.js';

const OLD = TEST_KEYS.USER_ID_KEY;
const NEW = 'nB4xTq8Lw2Zs6Vd0Hk9Rj3Pf7Cm5Gy1U';

describe.each(testDatabases())('a key of pseudonyms that follows another, on $name', ({ name, open }) => {
  let playground: Playground;
  let store: TestDatabase;
  let settings: Readonly<Record<string, string>>;
  let service: Service;
  beforeEach(async () => {
    playground = await openPlayground({ size: 5 });
    store = await open();
    settings = name === 'SQLite' ? { DATA_DIR: newFolder() } : store.settings;
  });

  const get = async (path: string, query: object): Promise<Json> =>
    (await supertest(service.opsUrl).get(path).query(query).expect(200)).body;

  /** Starts with the key, lets the users ask for a token in this order, and tells what is then known of each. */
  async function use(key: string, ...subjects: string[]): Promise<Json> {
    service = await startSilently({ ...serviceEnvironment(playground), ...settings, USER_ID_KEY: key });
    await untilReady(service);
    const known: Record<string, Json> = {};
    for (const subject of subjects) {
      const { hirerId } = playground.demo.memberships.find((one) => one.subject === subject)!;
      await supertest(service.opsUrl).put(`/memberships/${subject}/${encodeURIComponent(hirerId)}`);
      const request = { hirerId, scope: 'query:ontologies' };
      const { status, body } = await askToken(
        { url: service.publicUrl },
        await playground.signIn(subject),
        request,
      );
      expect({ status, body }).toMatchObject({ status: 200 });
      const token = playground.tokens.read(`Bearer ${body.access_token}`);
      const { user, previousUser } = await get('/users', { subject });
      expect(token).toMatchObject({ token: { hirerId, userId: user } });
      const query = { user: [user, previousUser].filter(Boolean).join(','), action: 'token' };
      const { items } = await get('/audit', query);
      const { text } = await supertest(service.opsUrl).get('/audit/export').query(query).buffer();
      expect(text.trim().split('\n')).toHaveLength(items.length);
      const records = items.map((record: Json) => record.user).reverse();
      known[subject] = { user, ...(previousUser && { previousUser }), records };
    }
    await service.close();
    return known;
  }

  test.each([
    ['amelia', 'chanida'],
    ['chanida', 'amelia'],
  ])('makes new pseudonyms, and finds records under both, there and back (%s first)', async (...subjects) => {
    const first = await use(OLD, ...subjects);
    const second = await use(`${NEW},${OLD}`, ...subjects.toReversed());
    const third = await use(`${OLD},${NEW}`, ...subjects);
    const fourth = await use(OLD, ...subjects.toReversed());
    for (const subject of subjects) {
      const { user, records } = first[subject];
      const { user: newer } = second[subject];
      expect(newer).not.toBe(user);
      expect(first[subject]).toEqual({ user, records });
      expect(second[subject]).toEqual({ user: newer, previousUser: user, records: [...records, newer] });
      const both = [...records, newer, user];
      expect(third[subject]).toEqual({ user, previousUser: newer, records: both });
      expect(fourth[subject]).toEqual({ user, records: [...records, user, user] });
    }
    expect(first.amelia.user).not.toBe(first.chanida.user);
  });

  test('leaves no record of a user who is erased, by the one key or the other', async () => {
    const { amelia } = await use(OLD, 'amelia');
    await use(`${NEW},${OLD}`, 'amelia', 'chanida');
    service = await startSilently({
      ...serviceEnvironment(playground),
      ...settings,
      USER_ID_KEY: `${NEW},${OLD}`,
    });
    await supertest(service.opsUrl).delete('/users/amelia').expect(200);
    const { user, previousUser } = await get('/users', { subject: 'amelia' });
    expect(previousUser).toBe(amelia.user);
    expect((await get('/audit', { user: `${user},${previousUser}` })).items).toEqual([]);
    expect((await get('/audit', { action: 'token' })).items).toHaveLength(3);
  });
});
