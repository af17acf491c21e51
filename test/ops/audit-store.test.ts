import type { AuditFilter, AuditRecord } from '../../src/audit/audit-record.js';
import { AuditStore } from '../../src/audit/audit-store.js';
import type { Database, SqlValue } from '../../src/storage/database.js';
import { migrate } from '../../src/storage/migrate.js';
import { TEST_DATABASES, type TestDatabase } from '../support/test-database.js';

const OLD_SQLITE_INDEXES = `
  DROP INDEX audit_by_block_and_user;
  DROP INDEX audit_by_block_and_hirer;
  CREATE INDEX audit_by_user ON audit (user_id, sequence);
  CREATE INDEX audit_by_hirer ON audit (hirer_id, sequence)`;

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
    for (let after: number | undefined; ;) {
      const { items, next } = await store.list({ ...filter, after }, itemsMax);
      ids.push(...items.map(({ requestId }) => requestId));
      if (next === null) return ids;
      expect(items).toHaveLength(itemsMax);
      after = Number(next);
    }
  };

  test('pages of a user or a hirer are whole and in order, however far apart its records are', async () => {
    const isRare = (i: number): boolean => i < 3 || (i >= 2_046 && i < 2_050) || i % 5_000 === 4_999;
    const numbers = Array.from({ length: 20_001 }, (_, i) => i);
    await store.insert(
      numbers.map((i) => {
        const whose = isRare(i)
          ? { user: 'rare', hirerId: 'small' }
          : { user: `u${i % 7}`, hirerId: 'large' };
        return aRecord({ requestId: `r${i}`, outcome: i % 2 === 0 ? 'issued' : 'refused', ...whose });
      }),
    );
    const expected = numbers.filter(isRare).reverse();
    for (const filter of [{ users: ['rare'] }, { hirer: 'small' }, { users: ['rare'], hirer: 'small' }]) {
      for (const itemsMax of [1, 3, 4, 100]) {
        expect(await idsOf(filter, itemsMax)).toEqual(expected.map((i) => `r${i}`));
      }
    }
    const refused = expected.filter((i) => i % 2 === 1);
    expect(await idsOf({ users: ['rare', 'nobody'] }, 1_000)).toEqual(
      await idsOf({ users: ['rare'] }, 1_000),
    );
    expect(await idsOf({ users: ['rare'], outcome: 'refused' }, 2)).toEqual(refused.map((i) => `r${i}`));
    expect(await idsOf({ users: ['u1'] }, 1_000)).toEqual(
      numbers
        .filter((i) => !isRare(i) && i % 7 === 1)
        .map((i) => `r${i}`)
        .reverse(),
    );
    expect(await store.list({ users: ['nobody'] }, 100)).toEqual({ items: [], next: null });
    expect(await store.list({ users: ['rare'], after: 0 }, 100)).toEqual({ items: [], next: null });
  });

  test('a page holds all or none of the records that arrive together while it is read', async () => {
    await store.insert(Array.from({ length: 1_000 }, () => aRecord({ requestId: 'before' })));
    let isFirst = true;
    const busy = {
      sql: database.sql,
      query: async (sql: string, parameters: readonly SqlValue[]) => {
        const rows = await database.query(sql, parameters);
        if (isFirst) {
          await store.insert(Array.from({ length: 1_000 }, () => aRecord({ requestId: 'meanwhile' })));
        }
        isFirst = false;
        return rows;
      },
    };
    const { items } = await new AuditStore(busy as Database).list({ users: ['u'] }, 10_000);
    expect(items.map(({ requestId }) => requestId)).toEqual(Array.from({ length: 1_000 }, () => 'before'));
  });

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
      reasons: [{ value: 'why', count: 2 }],
      addresses: [{ value: '192.0.2.1', count: 2 }],
      hirers: [{ value: 'h', count: 2 }],
      subject: 'PORT',
    };
    const least: AuditRecord = { time: 1_000, requestId: 'r', action: 'secret.rotate', outcome: 'ok' };
    await store.insert([whole, least]);
    expect((await store.list({}, 100)).items).toStrictEqual([least, whole]);
  });

  test('records of an earlier layout are found and read as before once it is upgraded', async () => {
    if (database.sql.name === 'sqlite') {
      for (const statement of OLD_SQLITE_INDEXES.split(';')) await database.query(statement);
    }
    await database.query("DELETE FROM migrations WHERE name = '0040-audit-blocks'");
    const old = aRecord({ requestId: 'old', hirerId: 'h', roles: ['member'], source: 'cache' });
    const columns: SqlValue[] = [old.time, old.action, old.outcome, old.user!, old.hirerId!];
    await database.query(
      'INSERT INTO audit (time, action, outcome, user_id, hirer_id, record) VALUES ($1, $2, $3, $4, $5, $6)',
      [...columns, JSON.stringify(old)],
    );
    await migrate(database);
    const young = { ...old, requestId: 'new' };
    await store.insert([young]);
    for (const filter of [{}, { users: ['u'] }, { hirer: 'h' }]) {
      expect((await store.list(filter, 100)).items).toStrictEqual([young, old]);
    }
  });
});
