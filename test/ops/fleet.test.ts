import { ReplicaStore } from '../../src/ops/dashboard/fleet/replica-store.js';
import { Fleet } from '../../src/ops/dashboard/fleet/fleet.js';
import type { DashboardSample } from '../../src/ops/dashboard/dashboard-sample.js';
import type { Readiness } from '../../src/telemetry/health.js';
import { TEST_DATABASES, type TestDatabase } from '../support/test-database.js';

const START = 1_800_000_000_000;
const READY: Readiness = { status: 'ready', ready: true, checks: { database: { state: 'up' } } };
const SILENT = { info: () => undefined, warn: () => undefined };

function sample(time: number, issued: number, partnerTokenSeconds: number): DashboardSample {
  return {
    time,
    seconds: 2,
    requests: { token: { issued }, graphql: {}, attachment: {} },
    sources: {},
    latency: { token: { '0.1': issued }, graphql: {}, upstream: {} },
    ownTime: {},
    calls: {},
    webhooks: {},
    events: {},
    deliveries: {},
    auditDropped: 0,
    backlog: { pending: 7 },
    oldestPendingSeconds: 0,
    backlogEndSeconds: null,
    partnerTokenSeconds,
    partnerTokenLifeSeconds: 1_800,
    openCircuits: [],
    failing: [],
  };
}

describe.each(TEST_DATABASES)('replicas on one database ($name)', ({ open }) => {
  let now: number;
  let database: TestDatabase;
  let one: Fleet;
  let two: Fleet;

  const start = (name: string): Fleet =>
    new Fleet(
      database.replica(),
      SILENT,
      { OTEL_RESOURCE_ATTRIBUTES: { 'service.instance.id': name } },
      () => now,
    );
  const stateOf = (name: string): string | undefined =>
    one.replicas.find((replica) => replica.name === name)?.state;

  beforeEach(async () => {
    now = START;
    database = await open();
    one = start('one');
    two = start('two');
    one.note(sample(START - 1_000, 3, 900), READY, 'ready');
    two.note(sample(START - 3_000, 1, 400), READY, 'ready');
    two.note(sample(START - 1_000, 1, 400), { ...READY, status: 'degraded' }, 'degraded');
    for (const fleet of [two, one, two]) await fleet.exchange();
  });
  afterEach(() => database.drop());

  test('see one another; of all, counts are added up, and the worst level and state stand', () => {
    expect(one.replicas).toMatchObject([
      { name: 'one', state: 'ready', isSelf: true },
      { name: 'two', state: 'degraded', isSelf: false, startedAt: START },
    ]);
    now += 15_000;
    const all = one.view('all');
    expect(all).toMatchObject({ state: 'degraded', readiness: { status: 'degraded' }, name: 'one, two' });
    expect(all?.samples).toMatchObject([
      {
        time: START,
        seconds: 10,
        requests: { token: { issued: 5 } },
        latency: { token: { '0.1': 5 } },
        backlog: { pending: 7 },
        partnerTokenSeconds: 400,
      },
    ]);
    const [, other] = one.replicas;
    expect(one.view(other?.id)?.samples).toMatchObject([{ requests: { token: { issued: 2 } } }]);
    expect(one.view(one.self.id)).toBeUndefined();
    expect(one.view('unknown')).toBeUndefined();
  });

  test('one that is not seen for a minute is gone, and leaves the list ten minutes later', async () => {
    now += 60_001;
    await one.exchange();
    expect(stateOf('two')).toBe('gone');
    expect(one.view('all')).toMatchObject({ state: 'ready', name: 'one' });
    now += 600_000;
    await one.exchange();
    expect(stateOf('two')).toBeUndefined();
    expect(await new ReplicaStore(database.database).readOthers(one.self.id)).toEqual([]);
  });

  test('a version that writes other figures is listed without them, whatever they are', async () => {
    const store = new ReplicaStore(database.database);
    const row = { version: '9.9.9', started_at: START, seen_at: START, state: 'napping' };
    const faulty = ['{', 'null', '{"shape":1,"readiness":{"checks":{}},"samples":[{}]}', '{"shape":2}'];
    for (const [index, figures] of [...faulty, 'x'.repeat(40_000), null].entries()) {
      await store.write({ ...row, id: `id-${index}`, name: `new-${index}`, figures });
    }
    await one.exchange();
    expect(one.replicas.filter(({ version }) => version === '9.9.9')).toHaveLength(6);
    expect(stateOf('new-0')).toBe('degraded');
    expect(one.view('id-2')).toMatchObject({ samples: [], readiness: { checks: {} } });
    now += 15_000;
    expect(one.view('all')?.samples).toHaveLength(1);
  });

  test('a row is replaced, is read by the others only, and can be removed', async () => {
    const store = new ReplicaStore(database.database);
    const [row] = await store.readOthers(one.self.id);
    await store.write({ ...row!, state: 'draining', seen_at: START + 5_000 });
    expect(await store.readOthers(one.self.id)).toMatchObject([
      { name: 'two', state: 'draining', seen_at: START + 5_000, started_at: START },
    ]);
    await store.remove(row!.id);
    expect(await store.readOthers(one.self.id)).toEqual([]);
  });
});
