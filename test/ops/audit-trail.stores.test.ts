/* eslint-disable max-lines -- one contract over two databases, then what happens while one fails */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import type { AuditRecord } from '../../src/audit/audit-record.js';
import { AuditStore } from '../../src/audit/audit-store.js';
import { AuditTrail } from '../../src/audit/audit-trail.js';
import { Conditions } from '../../src/telemetry/conditions/conditions.js';
import { Metrics } from '../../src/telemetry/metrics.js';
import { StoreError } from '../../src/errors/store-error.js';
import type { Database, SqlValue } from '../../src/storage/database.js';
import { Retention } from '../../src/storage/retention.js';
import { testDatabases, type TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';

const DAY_MS = 86_400_000;
const silent = pino({ level: 'silent' });

function aRecord(change: Partial<AuditRecord> = {}): AuditRecord {
  return { time: 1_000, requestId: 'r', action: 'token', user: 'u', outcome: 'issued', ...change };
}

/** One of four kinds of request without a valid user. */
function aStrangers(index: number, change: Partial<AuditRecord> = {}): AuditRecord {
  const action = index % 4 < 2 ? 'token' : 'graphql';
  const outcome = index % 2 === 0 ? 'unauthenticated' : 'payload_too_large';
  return aRecord({ user: undefined, action, outcome, address: '192.0.2.1', ...change });
}

function requestsOf(records: readonly AuditRecord[]): number {
  return records.reduce((sum, { count = 1 }) => sum + count, 0);
}

async function droppedCount(metrics: Metrics): Promise<number> {
  return Number(/^bff_audit_dropped_total (\d+)$/m.exec(await metrics.registry.metrics())![1]);
}

/** A trail on a database, of which a test may have only the part that is asked. */
function trailOn(database: Pick<Database, 'query'>, metrics = new Metrics(), queueMax?: number): AuditTrail {
  return new AuditTrail(new AuditStore(database as Database), silent, metrics, new Conditions(), queueMax);
}

afterEach(() => void jest.useRealTimers());

describe.each(testDatabases())('the audit trail on $name', ({ open }) => {
  let opened: TestDatabase;
  let trail: AuditTrail;
  let metrics: Metrics;
  beforeEach(async () => {
    opened = await open();
    metrics = new Metrics();
    trail = trailOn(opened.database, metrics);
  });

  const all = async (): Promise<AuditRecord[]> => {
    const records: AuditRecord[] = [];
    for await (const record of trail.export({})) records.push(record);
    return records;
  };

  test('keeps every record of a burst, once', async () => {
    for (let i = 0; i < 1_234; i += 1) trail.record(aRecord({ requestId: `r${i}` }));
    await trail.onApplicationShutdown();
    expect((await all()).map(({ requestId }) => requestId)).toEqual(
      Array.from({ length: 1_234 }, (_, i) => `r${1_233 - i}`),
    );
    expect(await droppedCount(metrics)).toBe(0);
  });

  test('keeps a record once, where the database wrote it and its answer was lost', async () => {
    const { database } = opened;
    let lost = 0;
    const losing: Pick<Database, 'query'> = {
      query: async (sql, parameters) => {
        const rows = await database.query(sql, parameters);
        if ((lost += 1) === 1) throw new StoreError('database', 'no answer');
        return rows as never[];
      },
    };
    const late = trailOn(losing);
    const record = aRecord({ action: 'membership.grant', hirerId: 'h' });
    for (const user of ['u', 'v', undefined]) late.record({ ...record, user });
    await late.flush();
    late.record({ ...record, requestId: 's' });
    await late.onApplicationShutdown();
    expect((await all()).map(({ requestId, user }) => [requestId, user])).toEqual([
      ['s', 'u'],
      ['r', undefined],
      ['r', 'v'],
      ['r', 'u'],
    ]);
  });

  test('writes a backlog one batch in each turn of the event loop', async () => {
    let turns = 0;
    let inserted = 0;
    const mostInATurn = { rows: 0 };
    const { database } = opened;
    const counting: Pick<Database, 'query'> = {
      query: (sql, parameters = []) => {
        inserted += JSON.parse(String(parameters[0])).length;
        mostInATurn.rows = Math.max(mostInATurn.rows, inserted);
        return database.query(sql, parameters);
      },
    };
    trail = trailOn(counting);
    for (let i = 0; i < 2_000; i += 1) trail.record(aRecord());
    let done = false;
    const count = (): void => {
      turns += 1;
      inserted = 0;
      if (!done) setImmediate(count);
    };
    setImmediate(count);
    await trail.flush();
    done = true;
    expect(mostInATurn.rows).toBeLessThanOrEqual(200);
    expect(turns).toBeGreaterThanOrEqual(9);
  });

  test('counts requests without a valid user above 60 a minute, by minute, action and outcome', async () => {
    for (let i = 0; i < 6_000; i += 1) trail.recordRefusal(aStrangers(i, { time: i * 30 }));
    await trail.onApplicationShutdown();
    const records = await all();
    const aggregates = records.filter(({ count }) => count !== undefined);
    expect(records).toHaveLength(3 * 60 + aggregates.length);
    expect(aggregates).toHaveLength(3 * 4);
    expect(requestsOf(records)).toBe(6_000);
    for (const { outcome } of aggregates) {
      expect(requestsOf(records.filter((record) => record.outcome === outcome))).toBe(3_000);
    }
    for (const { user, time, firstAt, lastAt, count } of aggregates) {
      expect(user).toBeUndefined();
      expect(firstAt).toBe(time);
      expect(Math.floor(lastAt! / 60_000)).toBe(Math.floor(firstAt! / 60_000));
      expect(lastAt! - firstAt!).toBe((count! - 1) * 120);
    }
  });

  test('refusals of a user above 300 a minute are counted, by minute, action and outcome, whatever others do', async () => {
    const outcomes = ['hirer_forbidden', 'scope_forbidden'];
    for (let i = 0; i < 2_000; i += 1) {
      const [time, outcome, hirerId] = [i * 60, outcomes[i % 2]!, `hirer ${i % 30}`];
      trail.recordRefusal(aRecord({ user: 'often', requestId: 'often', time, outcome, hirerId }));
      trail.record(aRecord({ user: 'often', requestId: 'granted', time }));
      if (i % 10 === 0) trail.recordRefusal(aRecord({ user: 'seldom', requestId: 'seldom', time, outcome }));
      trail.recordRefusal(aStrangers(i, { requestId: 'stranger', time }));
    }
    await trail.onApplicationShutdown();
    const records = await all();
    const of = (name: string) => records.filter(({ requestId }) => requestId === name);
    expect(of('granted')).toHaveLength(2_000);
    expect(of('seldom')).toHaveLength(200);
    expect([requestsOf(of('often')), of('often').length]).toEqual([2_000, 2 * (300 + 2)]);
    expect([requestsOf(of('stranger')), of('stranger').length]).toEqual([2_000, 2 * (60 + 4)]);
    const aggregates = of('often').filter((record) => record.count && record.outcome === 'scope_forbidden');
    expect(aggregates.map(({ count }) => count)).toEqual([350, 350]);
    for (const { hirerId, firstAt, lastAt } of aggregates) {
      expect(hirerId).toBeUndefined();
      expect(Math.floor(lastAt! / 60_000)).toBe(Math.floor(firstAt! / 60_000));
    }
  });

  test('an aggregate names the hirer when all of its requests were for one', async () => {
    for (const hirerId of ['A', 'B']) {
      for (let i = 0; i < 400; i += 1) {
        trail.recordRefusal(aRecord({ user: `user of ${hirerId}`, hirerId, outcome: 'scope_forbidden' }));
      }
    }
    await trail.onApplicationShutdown();
    for (const hirer of ['B', 'A']) {
      const { items } = await trail.list({ hirer });
      const counted = { user: `user of ${hirer}`, count: 100 };
      expect(items.filter(({ count }) => count !== undefined)).toMatchObject([counted]);
    }
  });

  test('an aggregate is written when its minute ends, even if no further request comes', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'], now: 30_000 });
    trail = trailOn(opened.database);
    for (let i = 0; i < 100; i += 1) trail.recordRefusal(aStrangers(0, { time: Date.now() }));
    expect(requestsOf((await trail.list({})).items)).toBe(60);
    jest.advanceTimersByTime(30_000);
    expect(requestsOf((await trail.list({})).items)).toBe(100);
  });

  test('a record that could not be written before its user was erased does not bring the pseudonym back', async () => {
    const { database } = opened;
    let isDown = true;
    const failing: Pick<Database, 'query'> = {
      query: async (sql, parameters) => {
        if (!isDown) return database.query(sql, parameters);
        isDown = false;
        throw new StoreError('database', 'down');
      },
    };
    trail = trailOn(failing);
    trail.record(aRecord({ user: 'erased', sessionId: 's' }));
    expect(await trail.unlink(['erased'])).toBe(0);
    await trail.onApplicationShutdown();
    const [record] = await all();
    expect([record!.user, record!.sessionId]).toEqual([undefined, undefined]);
  });

  test('of a user who is erased, what was only counted is written without the pseudonym', async () => {
    for (let i = 0; i < 400; i += 1) {
      trail.recordRefusal(aRecord({ user: 'erased', outcome: 'scope_forbidden' }));
    }
    await trail.unlink(['erased']);
    await trail.onApplicationShutdown();
    const records = await all();
    expect([requestsOf(records), records.filter(({ user }) => user !== undefined)]).toEqual([400, []]);
  });

  test('retention removes what is older and nothing else, also when two replicas do it', async () => {
    const now = 1_000 * DAY_MS;
    for (let i = 0; i < 2_500; i += 1) trail.record(aRecord({ time: now - 11 * DAY_MS }));
    trail.record(aRecord({ requestId: 'kept', time: now - 9 * DAY_MS }));
    await trail.flush();
    const clock = { now: async () => now };
    const replicas = [opened.database, opened.replica()].map((database) => new AuditStore(database));
    await Promise.all(replicas.map((store) => new Retention(store, 10, clock, silent).run()));
    const { items } = await trail.list({});
    expect(items.map(({ requestId }) => requestId)).toEqual(['kept']);
  });
});

describe('the audit trail while the database fails', () => {
  /** Fails as told before it reaches the real one. */
  class FaultyDatabase implements Pick<Database, 'query'> {
    readonly sql = { rows: () => 'rows' };
    down = false;
    attempts = 0;
    /** Called when it is asked. */
    onAttempt: (() => void) | undefined;
    readonly kept: unknown[] = [];

    async query(_sql: string, parameters: readonly SqlValue[] = []): Promise<never[]> {
      this.attempts += 1;
      this.onAttempt?.();
      const ids = JSON.parse(String(parameters[0])).map((row: unknown[]) => row[5]);
      if (this.down) throw new StoreError('database', 'down');
      if (ids.includes('poison')) throw new Error('refused');
      this.kept.push(...ids);
      return [];
    }
  }

  let database: FaultyDatabase;
  let metrics: Metrics;
  let trail: AuditTrail;
  beforeEach(() => {
    database = new FaultyDatabase();
    metrics = new Metrics();
    trail = trailOn(database, metrics, 5);
  });

  test('is asked again two seconds after it failed, whatever arrives; then full batches are written at once again', async () => {
    trail = trailOn(database);
    const ids = Array.from({ length: 900 }, (_, index) => `r${index}`);
    const record = (from: number, to: number): void => {
      for (const requestId of ids.slice(from, to)) trail.record(aRecord({ requestId }));
    };
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'Date'] });
    database.down = true;
    database.onAttempt = () => record(300, 301);
    record(0, 300);
    await until(() => database.attempts === 1);
    database.onAttempt = undefined;
    record(301, 600);
    jest.advanceTimersByTime(1_999);
    await nextTurn();
    expect(database.attempts).toBe(1);
    database.down = false;
    jest.advanceTimersByTime(1);
    await until(() => database.kept.length === 600);
    record(600, 900);
    await until(() => database.kept.length === 900);
    expect(database.kept).toEqual(ids);
  });

  test('what arrives while it closes is written', async () => {
    let late = 3;
    database.onAttempt = () => {
      if ((late -= 1) >= 0) trail.record(aRecord({ requestId: `late ${late}` }));
    };
    trail.record(aRecord({ requestId: 'first' }));
    await trail.onApplicationShutdown();
    expect(database.kept).toEqual(['first', 'late 2', 'late 1', 'late 0']);
    expect(await droppedCount(metrics)).toBe(0);
  });

  test('counts nothing as lost that a reader has written while it closed', async () => {
    database.down = true;
    database.onAttempt = () => {
      if (database.attempts === 1) void trail.flush();
      else database.down = false;
    };
    trail.record(aRecord({ requestId: 'a' }));
    await trail.onApplicationShutdown();
    expect(database.kept).toEqual(['a']);
    expect(await droppedCount(metrics)).toBe(0);
  });

  test('the queue is bounded and every record that is lost is counted', async () => {
    database.down = true;
    for (let i = 0; i < 8; i += 1) trail.record(aRecord());
    expect(await droppedCount(metrics)).toBe(3);
    await trail.onApplicationShutdown();
    expect(await droppedCount(metrics)).toBe(8);
  });

  test('keeps no process alive, and counts a record that comes after the close as lost', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    database.down = true;
    trail.record(aRecord());
    await trail.flush();
    expect(timers()).toBe(before);
    await trail.onApplicationShutdown();
    trail.record(aRecord());
    trail.recordRefusal(aStrangers(0));
    expect(timers()).toBe(before);
    expect(await droppedCount(metrics)).toBe(3);
  });

  test('an aggregate that is lost counts as all the requests it stands for', async () => {
    metrics = new Metrics();
    trail = trailOn(database, metrics, 60);
    database.down = true;
    for (let i = 0; i < 100; i += 1) trail.recordRefusal(aStrangers(0));
    await trail.onApplicationShutdown();
    expect(await droppedCount(metrics)).toBe(100);
  });

  test('a batch that the database rejects permanently is counted as lost and does not delay the next', async () => {
    trail.record(aRecord({ requestId: 'poison' }));
    await trail.flush();
    trail.record(aRecord({ requestId: 'a' }));
    await trail.onApplicationShutdown();
    expect(database.kept).toEqual(['a']);
    expect(await droppedCount(metrics)).toBe(1);
  });
});
