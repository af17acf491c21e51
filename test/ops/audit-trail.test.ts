import { pino } from 'pino';
import type { AuditRecord } from '../../src/ops/audit-record.js';
import { AuditRetention } from '../../src/ops/audit-retention.js';
import { AuditTrail } from '../../src/ops/audit-trail.js';
import { Metrics } from '../../src/ops/metrics.js';
import type { Database, Queryable, SqlValue } from '../../src/storage/database.js';
import { TEST_DATABASES, type TestDatabase } from '../support/test-database.js';

const DAY_MS = 86_400_000;
const silent = pino({ level: 'silent' });

function aRecord(change: Partial<AuditRecord> = {}): AuditRecord {
  return { time: 1_000, requestId: 'r', action: 'token', outcome: 'issued', ...change };
}

async function droppedCount(metrics: Metrics): Promise<number> {
  return Number(/^bff_audit_dropped_total (\d+)$/m.exec((await metrics.expose()).text)![1]);
}

describe.each(TEST_DATABASES)('the audit trail on $name', ({ open }) => {
  let test: TestDatabase;
  let trail: AuditTrail;
  let metrics: Metrics;
  beforeEach(async () => {
    test = await open();
    metrics = new Metrics();
    trail = new AuditTrail(test.database, silent, metrics);
  });
  afterEach(() => test.drop());

  it('keeps every record of a burst, once', async () => {
    for (let i = 0; i < 1_234; i += 1) trail.record(aRecord({ requestId: `r${i}` }));
    await trail.close();
    const ids: string[] = [];
    for await (const { requestId } of trail.export({})) ids.push(requestId);
    expect(ids).toEqual(Array.from({ length: 1_234 }, (_, i) => `r${1_233 - i}`));
    expect(await droppedCount(metrics)).toBe(0);
  });

  it('pages latest first, and records that arrive meanwhile shift no page', async () => {
    for (let i = 0; i < 150; i += 1) trail.record(aRecord({ requestId: `r${i}` }));
    const first = await trail.list({});
    for (let i = 150; i < 200; i += 1) trail.record(aRecord({ requestId: `r${i}` }));
    const second = await trail.list({ after: Number(first.next) });
    const ids = [...first.items, ...second.items].map(({ requestId }) => requestId);
    expect(ids).toEqual(Array.from({ length: 150 }, (_, i) => `r${149 - i}`));
    expect(second.next).toBeNull();
  });

  it.each([
    [{ user: 'u1' }, ['a', 'b']],
    [{ hirer: 'h2' }, ['b', 'c']],
    [{ outcome: 'hirer_forbidden' }, ['c']],
    [{ action: 'membership.grant' }, ['d']],
    [{ request: 'b' }, ['b']],
    [{ since: 2_000, until: 4_000 }, ['b', 'c']],
    [{ user: "u1' OR 1=1 --" }, []],
  ])('filters by %j', async (filter, expected) => {
    trail.record(aRecord({ requestId: 'a', time: 1_000, user: 'u1', hirerId: 'h1' }));
    trail.record(aRecord({ requestId: 'b', time: 2_000, user: 'u1', hirerId: 'h2' }));
    trail.record(aRecord({ requestId: 'c', time: 3_000, hirerId: 'h2', outcome: 'hirer_forbidden' }));
    trail.record(aRecord({ requestId: 'd', time: 4_000, action: 'membership.grant' }));
    const { items } = await trail.list(filter);
    expect(items.map(({ requestId }) => requestId).sort()).toEqual(expected);
  });

  it('keeps hostile text as it is, and it cannot break a line of an export', async () => {
    const hirerId = `'); DROP TABLE audit; --\n{"outcome":"issued"}\u2028<script>`;
    trail.record(aRecord({ hirerId }));
    const { items } = await trail.list({ hirer: hirerId });
    expect(items[0]).toMatchObject({ hirerId });
    expect(JSON.stringify(items[0])).not.toContain('\n');
  });

  it('retention removes what is older and nothing else, also when two replicas do it', async () => {
    const now = 1_000 * DAY_MS;
    for (let i = 0; i < 2_500; i += 1) trail.record(aRecord({ time: now - 11 * DAY_MS }));
    trail.record(aRecord({ requestId: 'kept', time: now - 9 * DAY_MS }));
    await trail.flush();
    const other = new AuditTrail(test.replica(), silent, new Metrics());
    await Promise.all(
      [trail, other].map((replica) => new AuditRetention(replica, 10, silent, () => now).run()),
    );
    const { items } = await trail.list({});
    expect(items.map(({ requestId }) => requestId)).toEqual(['kept']);
  });
});

describe('the audit trail while the database fails', () => {
  /** Fails as told before it reaches the real one. */
  class FaultyDatabase implements Pick<Database, 'transaction' | 'ping'> {
    down = false;
    readonly kept: SqlValue[] = [];

    async transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
      const ids: SqlValue[] = [];
      const query = async (_sql: string, parameters: readonly SqlValue[] = []): Promise<never[]> => {
        ids.push(...parameters.filter((_, index) => index % 7 === 5));
        return [];
      };
      const result = await work({ query });
      if (this.down || ids.includes('poison')) throw new Error('refused');
      this.kept.push(...ids);
      return result;
    }

    async ping(): Promise<void> {
      if (this.down) throw new Error('down');
    }
  }

  let database: FaultyDatabase;
  let metrics: Metrics;
  let trail: AuditTrail;
  beforeEach(() => {
    database = new FaultyDatabase();
    metrics = new Metrics();
    trail = new AuditTrail(database as unknown as Database, silent, metrics, 5);
  });

  it('records wait for it, in order, and are written once it is back', async () => {
    database.down = true;
    trail.record(aRecord({ requestId: 'a' }));
    await trail.flush();
    trail.record(aRecord({ requestId: 'b' }));
    database.down = false;
    await trail.close();
    expect(database.kept).toEqual(['a', 'b']);
    expect(await droppedCount(metrics)).toBe(0);
  });

  it('the queue is bounded and every record that is lost is counted', async () => {
    database.down = true;
    for (let i = 0; i < 8; i += 1) trail.record(aRecord());
    expect(await droppedCount(metrics)).toBe(3);
    await trail.close();
    expect(await droppedCount(metrics)).toBe(8);
  });

  it('one record that cannot be stored takes no other with it', async () => {
    for (const requestId of ['a', 'poison', 'b']) trail.record(aRecord({ requestId }));
    await trail.close();
    expect(database.kept).toEqual(['a', 'b']);
    expect(await droppedCount(metrics)).toBe(1);
  });
});
