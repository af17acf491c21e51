import type { AuditFilter, AuditRecord } from '../../src/audit/audit-record.js';
import { AuditStore } from '../../src/audit/audit-store.js';
import type { Database } from '../../src/storage/database.js';
import { testDatabases, type TestDatabase } from '../support/test-database.js';
import fc from 'fast-check';
import { forgetAudit } from '../support/stored.js';

function aRecord(change: Partial<AuditRecord> = {}): AuditRecord {
  return { time: 1_000, requestId: 'r', action: 'token', user: 'u', outcome: 'issued', ...change };
}

/** Records come in runs, so that the table has gaps, and users who are rare in it. */
const run = fc.record({
  length: fc.integer({ min: 1, max: 40 }),
  user: fc.constantFrom(undefined, 'u1', 'u2', 'u3'),
  hirerId: fc.constantFrom(undefined, 'h1', 'h2'),
  outcome: fc.constantFrom('ok', 'refused'),
  time: fc.integer({ min: 0, max: 9 }),
});
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ insert: run }) },
  { weight: 1, arbitrary: fc.record({ purge: fc.integer({ min: 0, max: 9 }) }) },
);
const optional = <T>(...values: T[]): fc.Arbitrary<T | undefined> => fc.constantFrom(undefined, ...values);
const filter: fc.Arbitrary<AuditFilter> = fc.record({
  users: optional(['u1'], ['u2'], ['u1', 'u3'], ['nobody', 'u2'], ['nobody']),
  hirer: optional('h1', 'h2'),
  outcome: optional('ok', 'refused'),
  action: optional('token', 'graphql'),
  request: optional('r0', 'r30'),
  since: optional(0, 3, 6),
  until: optional(4, 7, 10),
});
const question = fc.record({
  filter,
  itemsMax: fc.constantFrom(1, 7, 100),
  /** A record that arrives after this page. */
  arrivesAfter: fc.integer({ min: 0, max: 3 }),
});

const fits = (record: AuditRecord, wanted: AuditFilter): boolean =>
  (wanted.users === undefined || wanted.users.some((user) => user === record.user)) &&
  (wanted.hirer === undefined || record.hirerId === wanted.hirer) &&
  (wanted.outcome === undefined || record.outcome === wanted.outcome) &&
  (wanted.action === undefined || record.action === wanted.action) &&
  (wanted.request === undefined || record.requestId === wanted.request) &&
  (wanted.since === undefined || record.time >= wanted.since) &&
  (wanted.until === undefined || record.time < wanted.until);

/** The latest first; ids are counted on. */
const order = (a: AuditRecord, b: AuditRecord): number =>
  b.time - a.time || Number(b.requestId.slice(1)) - Number(a.requestId.slice(1));

describe.each(testDatabases())('the audit table in $name', ({ name, open }) => {
  let opened: TestDatabase;
  let database: Database;
  let store: AuditStore;
  beforeEach(async () => {
    opened = await open();
    database = opened.database;
    store = new AuditStore(database);
  });

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

  const numRuns = name === 'SQLite' ? 200 : 20;
  const pagesMax = 40; // of one question; the rest of a long list is like its beginning

  test('lists what a model lists, for any records, gaps, filters, page sizes and late arrivals', async () => {
    const property = fc.asyncProperty(
      fc.array(step, { maxLength: 8 }),
      fc.array(question, { minLength: 1, maxLength: 6 }),
      async (steps, questions) => {
        await forgetAudit(database);
        let model: AuditRecord[] = [];
        let count = 0;
        const recordOf = (
          members: Pick<AuditRecord, 'user' | 'hirerId' | 'outcome' | 'time'>,
        ): AuditRecord => ({
          ...members,
          requestId: `r${count}`,
          action: count++ % 3 === 0 ? 'token' : 'graphql',
        });
        const insert = async (records: AuditRecord[]): Promise<void> => {
          await store.insert(records);
          model = [...records.toReversed(), ...model];
        };
        for (const one of steps) {
          if ('insert' in one) {
            const { length, ...members } = one.insert;
            await insert(Array.from({ length }, () => recordOf(members)));
          } else {
            const kept = model.filter(({ time }) => time >= one.purge);
            expect(await store.purge(one.purge)).toBe(model.length - kept.length);
            model = kept;
          }
        }
        for (const { filter: wanted, itemsMax, arrivesAfter } of questions) {
          let after: string | undefined;
          let last: AuditRecord | undefined;
          for (let page = 0; page < pagesMax; page += 1) {
            const expected = model
              .filter((record) => fits(record, wanted) && (!last || order(last, record) < 0))
              .sort(order);
            const { items, next } = await store.list({ ...wanted, after }, itemsMax);
            expect(items).toEqual(expected.slice(0, itemsMax));
            expect(next === null).toBe(expected.length <= itemsMax);
            if (next === null) break;
            after = next;
            last = items.at(-1);
            if (page === arrivesAfter) {
              await insert([recordOf({ user: 'u1', hirerId: 'h1', outcome: 'ok', time: 5 })]);
            }
          }
        }
      },
    );
    await fc.assert(property, { numRuns });
  });
});
