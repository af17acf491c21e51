import { AuditStore } from '../../src/audit/audit-store.js';
import type { AuditFilter } from '../../src/audit/audit-record.js';
import type { Database, SqlValue } from '../../src/storage/database.js';
import type { EventFilter } from '../../src/webhooks/store/event-records.js';
import { EventRecords } from '../../src/webhooks/store/event-records.js';
import { testDatabases, type TestDatabase } from '../support/test-database.js';
import { ONE_SINK } from '../webhooks/event-store-setup.js';

const ROWS = 20_000;

/** One row in a thousand is a rare one, and times are a day apart in a thousand rows. */
const FILL = [
  `INSERT INTO audit (time, action, outcome, user_id, hirer_id, request_id, record)
   SELECT n * 86400, CASE WHEN n % 1000 = 7 THEN 'membership.grant' ELSE 'token' END,
     CASE WHEN n % 1000 = 3 THEN 'hirer_forbidden' WHEN n < 12000 THEN 'unavailable' ELSE 'issued' END, 'user ' || (n % 999), 'hirer ' || (n % 99), 'request ' || n, '{}'
   FROM numbers`,
  `INSERT INTO events (sequence, id, trust, type, hirer_id, copies, queued, received_at, last_received_at, stored_at, payload)
   SELECT n, 'id ' || n, 'signed', CASE WHEN n % 1000 = 7 THEN 'Rare' ELSE 'Common' END, 'hirer ' || (n % 99), 1,
     CASE WHEN n % 1000 = 5 THEN 0 ELSE 1 END, n, n, n, '{}' FROM numbers`,
  `INSERT INTO deliveries (event, sink, state, reason, queued_at, lease, attempts, failures, recoveries)
   SELECT n, 'default', CASE WHEN n % 1000 = 3 THEN 'dead' ELSE 'delivered' END, 'new', n, 1, 1, 0, 0
   FROM numbers WHERE n % 1000 <> 5`,
];
const NUMBERS = `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${ROWS})`;

const AUDIT_FILTERS: [AuditFilter, RegExp][] = [
  [{ users: ['user 7'] }, /audit_by_user/],
  [{ hirer: 'hirer 7' }, /audit_by_hirer/],
  [{ outcome: 'hirer_forbidden' }, /audit_by_outcome/],
  [{ outcome: 'unavailable' }, /audit_by_outcome/], // many, and none lately: as of an outage that is over
  [{ outcome: 'nothing' }, /audit_by_outcome/],
  [{ action: 'membership.grant' }, /audit_by_action/],
  [{ users: ['user 7', 'user 8'] }, /audit_by_user/],
  [{ request: 'request 7' }, /audit_by_request/],
  [{ until: 86_400_000 }, /audit_by_time/],
  [{ since: 86_400_000, until: 86_500_000 }, /audit_by_time/],
];
const EVENT_FILTERS: [EventFilter, RegExp][] = [
  [{ state: 'dead' }, /deliveries_by_state/],
  [{ state: 'delivered' }, /deliveries_(by_state|pkey)/],
  [{ state: 'stored' }, /events_not_queued/],
  [{ type: 'Rare' }, /events_by_type/],
  [{ type: 'Nothing' }, /events_by_type/],
  [{ hirer: 'hirer 7' }, /events_by_hirer/],
  [{ id: 'id 7' }, /events_id_key|sqlite_autoindex_events_1/],
  [{ since: 5_000, until: 5_100 }, /events_by_time/],
  [{ state: 'delivered', until: 5_000 }, /events_by_time/],
  [{ type: 'Common', since: 5_000, until: 5_100 }, /events_by_time/],
  [{ state: 'dead', until: 5_000 }, /deliveries_by_state/],
  [{ type: 'Rare', until: 5_000 }, /events_by_type/],
  [{ hirer: 'hirer 7', until: 5_000 }, /events_by_hirer/],
];

describe.each(testDatabases())('among many rows of $name', ({ open, isServer }) => {
  let store: TestDatabase;
  beforeAll(async () => {
    store = await open();
    for (const statement of FILL) await store.database.query(`${NUMBERS} ${statement}`);
    if (isServer) await store.database.query('ANALYZE'); // as a server does by itself
  });

  /** The plans of every statement that the work runs. */
  async function plansOf(work: (database: Database) => Promise<unknown>): Promise<string> {
    const { database } = store;
    const plans: string[] = [];
    const query = async (sql: string, parameters: readonly SqlValue[] = []) => {
      const explained = await database.query(`EXPLAIN ${isServer ? '' : 'QUERY PLAN'} ${sql}`, parameters);
      plans.push(...explained.map((row) => String(row['QUERY PLAN'] ?? row['detail'])));
      return database.query(sql, parameters);
    };
    await work({ query } as unknown as Database);
    return plans.join('\n');
  }

  test.each(AUDIT_FILTERS)('audit records by %j are found by an index', async (filter, index) => {
    const plans = await plansOf((database) => new AuditStore(database).list(filter, 100));
    expect(plans).toMatch(index);
    expect(plans).not.toMatch(/Seq Scan|SCAN audit\b(?! USING)/);
    const isOrdered = !isServer && filter.request === undefined && filter.users?.length !== 2; // PostgreSQL sorts a few rows
    if (isOrdered) expect(plans).not.toMatch(/TEMP B-TREE/);
  });

  test.each([{ after: 10_000 }, { until: 10_000 }])(
    'delivered events of %j are joined from there, not from the end',
    async (from) => {
      const filter = { state: 'delivered', ...from } as const;
      const plans = await plansOf((database) => new EventRecords(database, ONE_SINK).list(filter));
      if (isServer) expect(plans).toMatch(/Cond: .*\(sequence < /);
      expect(plans).not.toMatch(/Seq Scan/);
    },
  );

  test.each(EVENT_FILTERS)('events by %j are found by an index', async (filter, index) => {
    const plans = await plansOf((database) => new EventRecords(database, ONE_SINK).list(filter));
    expect(plans).toMatch(index);
    // a million events are not sorted for a page
    if (filter.id === undefined) expect(plans).not.toMatch(/TEMP B-TREE FOR ORDER BY/);
    expect(plans).not.toMatch(/Seq Scan on events .*width=\d{3}/); // of numbers alone, to count, it has a limit
  });
});
