import { pino } from 'pino';
import type { Database } from '../../src/storage/database.js';
import { DeliveryQueue } from '../../src/webhooks/deliver/delivery-queue.js';
import { RedeliveryStore } from '../../src/webhooks/redeliver/redelivery-store.js';
import { RedeliveryWorker } from '../../src/webhooks/redeliver/redelivery-worker.js';
import { EventInbox } from '../../src/webhooks/store/insert/event-inbox.js';
import { EventNotices } from '../../src/webhooks/store/event-notices.js';
import { EventRecords } from '../../src/webhooks/store/records/event-records.js';
import { forgetEvents, takePayloads } from '../support/stored.js';
import { TEST_DATABASES, type TestDatabase } from '../support/test-database.js';

const HOUR_MS = 3_600_000;
const BATCH = 10;

describe.each(TEST_DATABASES)('a redelivery in $name', ({ open }) => {
  let test_: TestDatabase;
  let database: Database;
  let clock: number;
  const now = (): number => clock;
  const queue = (): DeliveryQueue => new DeliveryQueue(database, HOUR_MS, now);
  const store = (over: Database = database): RedeliveryStore => new RedeliveryStore(over, now);
  const worker = (over: Database = database): RedeliveryWorker =>
    new RedeliveryWorker(store(over), { wake: () => undefined }, pino({ level: 'silent' }), BATCH);

  beforeAll(async () => {
    test_ = await open();
    database = test_.database;
  });
  afterAll(() => test_.drop());
  beforeEach(async () => {
    clock = 1_000 * HOUR_MS;
    await forgetEvents(database);
  });

  /** Stores events, and buries them. */
  async function bury(
    ids: readonly string[],
    type = 'PositionProfilePosted',
    hirerId = 'h:1',
  ): Promise<void> {
    const policy = { isWanted: () => true, redeliverAfterMs: undefined };
    const inbox = new EventInbox(database, policy, new EventNotices(database), now);
    const origin = { trust: 'signed', subscriptionId: null, requestId: null, createDateTime: null } as const;
    await inbox.put(ids.map((id) => ({ ...origin, id, type, hirerId, payload: '{}' })));
    for (const event of await queue().take(ids.length)) {
      await queue().bury(event, { done: [], refused: [], reason: 'sink: status 410' });
    }
  }
  const named = (count: number, prefix = 'e'): string[] =>
    Array.from({ length: count }, (_, index) => `${prefix}:${String(index).padStart(3, '0')}`);
  /** Delivers what is due, and returns the ids. */
  async function deliverDue(): Promise<string[]> {
    const taken = await queue().take(1_000);
    for (const event of taken) await queue().finish(event, 'delivered');
    return taken.map(({ id }) => id);
  }

  test('takes exactly the events that match, and counts them before', async () => {
    await bury(named(3, 'old'));
    clock += HOUR_MS;
    await bury(named(3, 'match'));
    await bury(['other-type:1'], 'PositionProfileClosed');
    await bury(['other-hirer:1'], 'PositionProfilePosted', 'h:2');
    clock += HOUR_MS;
    await bury(named(3, 'late'));
    const [since, until] = [1_001 * HOUR_MS, 1_002 * HOUR_MS];
    const filter = { state: 'dead', type: 'PositionProfilePosted', hirer: 'h:1', since, until } as const;
    expect(await store().count(filter)).toBe(3);
    const { id } = (await store().start(filter, 'Anna'))!;
    await worker().run();
    expect(await store().find(id)).toMatchObject({
      state: 'done',
      actor: 'Anna',
      total: 3,
      queued: 3,
      events: { pending: 3 },
      filter: { state: 'dead', hirer: 'h:1', since: new Date(since).toISOString() },
    });
    expect((await deliverDue()).sort()).toEqual(named(3, 'match'));
    expect((await store().find(id))!.events).toEqual({ delivered: 3 });
  });

  test('queues in batches: a full queue waits for its deliveries, so that new events wait behind few', async () => {
    await bury(named(25));
    const { id } = (await store().start({ state: 'dead' }, undefined))!;
    const delivered: string[] = [];
    for (const queued of [10, 20, 25]) {
      await worker().run();
      await worker().run(); // nothing more before the batch is delivered
      expect((await store().find(id))!.queued).toBe(queued);
      delivered.push(...(await deliverDue()));
    }
    expect(delivered.sort()).toEqual(named(25));
    expect((await store().find(id))!.state).toBe('done');
  });

  test('is continued by another replica after the first was killed, and queues each event once', async () => {
    await bury(named(15));
    const { id } = (await store().start({ state: 'dead' }, undefined))!;
    const killed = (await store().take())!;
    await store().queueNext(killed, BATCH); // and never heard of again
    const other = test_.replica();
    await worker(other).run();
    expect((await store(other).find(id))!.queued).toBe(BATCH); // the lease of the first still holds
    clock += 60_000;
    expect((await deliverDue()).length).toBe(BATCH);
    await worker(other).run();
    expect(await store(other).find(id)).toMatchObject({ state: 'done', queued: 15 });
    expect((await deliverDue()).length).toBe(5);
    await expect(store().queueNext(killed, BATCH)).rejects.toThrow('taken over');
    expect(await deliverDue()).toEqual([]);
  });

  test('is the only one that runs, however many ask at once', async () => {
    await bury(named(3));
    const replicas = [store(), store(test_.replica())];
    const started = await Promise.all(
      Array.from({ length: 10 }, (_, index) => replicas[index % 2]!.start({ state: 'dead' }, undefined)),
    );
    expect(started.filter((one) => one !== undefined)).toHaveLength(1);
  });

  test('that is cancelled queues no further event; what is queued is delivered', async () => {
    await bury(named(25));
    const { id } = (await store().start({ state: 'dead' }, undefined))!;
    await worker().run();
    expect(await store().cancel(id)).toMatchObject({ state: 'cancelled', queued: 10 });
    expect((await deliverDue()).length).toBe(10);
    await worker().run();
    expect((await store().find(id))!.queued).toBe(10);
    expect(await store().cancel(id)).toBeUndefined();
  });

  test('leaves out events that arrive after its start, and those without a payload', async () => {
    await bury(named(2));
    await takePayloads(database, 'e:000');
    const { id, total } = (await store().start({ state: 'dead' }, undefined))!;
    await bury(named(2, 'new'));
    await worker().run();
    expect([total, (await store().find(id))!.queued]).toEqual([1, 1]);
  });

  test('events are found by the whole id, by its end, and by when they arrived', async () => {
    await bury(['scheme:event:one', 'scheme:event:%', 'scheme:event:two']);
    const ids = async (filter: object): Promise<string[]> =>
      (await new EventRecords(database, now).list(filter)).items.map(({ id }) => id);
    expect(await ids({ id: 'scheme:event:one' })).toEqual(['scheme:event:one']);
    expect(await ids({ id: 'two' })).toEqual(['scheme:event:two']);
    expect(await ids({ id: '%' })).toEqual(['scheme:event:%']);
    expect(await ids({ since: clock + 1 })).toEqual([]);
    expect(await ids({ until: clock + 1 })).toHaveLength(3);
  });
});
