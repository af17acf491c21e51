import type { AuditFilter, AuditRecord } from '../../src/audit/audit-record.js';
import { AuditStore } from '../../src/audit/audit-store.js';
import type { Database } from '../../src/storage/database.js';
import { TEST_DATABASES, type TestDatabase } from '../support/test-database.js';

function aRecord(change: Partial<AuditRecord> = {}): AuditRecord {
  return { time: 1_000, requestId: 'r', action: 'token', user: 'u', outcome: 'issued', ...change };
}

describe.each(TEST_DATABASES)('the audit table in $name', ({ open }) => {
  let opened: TestDatabase;
  let database: Database;
  let store: AuditStore;
  beforeEach(async () => {
    opened = await open();
    database = opened.database;
    store = new AuditStore(database);
  });
  afterEach(() => opened.drop());

  /** Ids of all records that fit, page by page. */
  const idsOf = async (filter: AuditFilter, itemsMax: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let after: string | undefined; ;) {
      const { items, next } = await store.list({ ...filter, after }, itemsMax);
      ids.push(...items.map(({ requestId }) => requestId));
      if (next === null) return ids;
      expect(items).toHaveLength(itemsMax);
      after = next;
    }
  };

  test('gives back every member of a record, and no other', async () => {
    const whole: Required<AuditRecord> = {
      time: 1_000,
      requestId: 'r',
      sessionId: 's',
      action: 'graphql',
      user: 'u',
      hirerId: 'h',
      roles: ['member'],
      scopesAsked: ['a'],
      scopesGranted: ['a', 'b'],
      outcome: 'ok',
      source: 'cache',
      ms: 12,
      upstreamRequestId: 'up',
      operations: ['Jobs'],
      expiresAt: 2_000,
      tokenHash: 'hash',
      actor: 'operator',
      address: '192.0.2.1',
      reason: 'why',
      kid: 'key-1',
      alg: 'none',
      count: 2,
      firstAt: 1_000,
      lastAt: 1_500,
      subject: 'PORT',
    };
    const least: AuditRecord = { time: 1_000, requestId: 'r', action: 'secret.rotate', outcome: 'ok' };
    await store.insert([whole, least]);
    expect((await store.list({}, 100)).items).toStrictEqual([least, whole]);
  });

  test('keeps what a caller named by a text that no database takes', async () => {
    await store.insert([aRecord({ hirerId: `'); DROP TABLE audit; -- a\0b\ud800` })]);
    expect((await store.list({}, 1)).items).toMatchObject([
      { hirerId: `'); DROP TABLE audit; -- a\ufffdb\ufffd` },
    ]);
  });

  test('an erasure takes the pseudonym and the session out of every record of the user, and of no other', async () => {
    await store.insert(Array.from({ length: 450 }, (_, i) => aRecord({ sessionId: 's', user: `u${i % 2}` })));
    expect(await store.unlink(['u0', 'nobody'])).toBe(225);
    expect(await idsOf({ users: ['u0'] }, 1_000)).toEqual([]);
    const { items } = await store.list({}, 1_000);
    expect(items.filter(({ sessionId }) => sessionId !== undefined).map(({ user }) => user)).toEqual(
      Array(225).fill('u1'),
    );
  });
});
