/* eslint-disable max-lines -- one contract over two databases */
import { EventSinks, type OwnSink } from '../../src/webhooks/store/event-sinks.js';
import { EventCounts } from '../../src/webhooks/store/records/event-counts.js';
import { EventRecords } from '../../src/webhooks/store/records/event-records.js';
import { EventRetention } from '../../src/webhooks/store/event-retention.js';
import { RedeliveryStore } from '../../src/webhooks/redeliver/redelivery-store.js';
import { RedeliveryWorker } from '../../src/webhooks/redeliver/redelivery-worker.js';
import type { DeliveryRoute } from '../../src/webhooks/deliver/delivery-route.js';
import type { EventDeliverer } from '../../src/webhooks/deliver/event-deliverer.js';
import { SinkFeed } from '../../src/webhooks/deliver/sink-feed.js';
import { json, startJsonServer, type JsonServer } from '../support/json-server.js';
import { takePayloads } from '../support/stored.js';
import { TEST_DATABASES } from '../support/test-database.js';
import { until } from '../support/until.js';
import { SCHEDULE_SECONDS, silentLog, useDelivery } from './delivery-setup.js';
import { anEvent } from './send-webhook.js';

const [ONE, OTHER] = ['scheme:organization:one', 'scheme:organization:other'];
const EVERYTHING = { types: [], hirers: [] };

describe.each(TEST_DATABASES)('several sinks, in $name', ({ open }) => {
  const delivery = useDelivery(open);
  const servers = new Map<string, JsonServer>();

  beforeAll(async () => {
    for (const name of ['crm', 'ats']) servers.set(name, await startJsonServer(json({}, 200)));
  });
  afterAll(() => Promise.all([...servers.values()].map((server) => server.close())));
  beforeEach(() => {
    for (const server of servers.values()) {
      (server.received as unknown[]).length = 0;
      server.answer = json({}, 200);
    }
  });

  function routeTo({ name, types, hirers }: OwnSink, retrySeconds = SCHEDULE_SECONDS): DeliveryRoute {
    const url = new URL('/', servers.get(name)!.url);
    const sink = delivery.openSink({ name, url, types, hirers, timeoutMs: 60_000 });
    return { sink: name, targets: [sink], concurrency: 8, retrySeconds, objects: true };
  }

  /** A replica with these sinks besides the default one, which has no target. */
  function openSinks(own: readonly OwnSink[], routes = own.map((sink) => routeTo(sink))) {
    const sinks = new EventSinks(own, false);
    const deliverer = delivery.openDeliverer([], delivery.database, 8, undefined, routes, sinks);
    return {
      sinks,
      deliverer,
      feed: new SinkFeed(delivery.database, sinks, silentLog, delivery.now),
      records: new EventRecords(delivery.database, delivery.now, sinks),
      retention: new EventRetention(delivery.database, sinks),
    };
  }

  async function runAll(deliverer: EventDeliverer): Promise<void> {
    for (let turn = 0; turn < 10; turn += 1) await delivery.run(deliverer);
  }

  const idsAt = (name: string): unknown[] =>
    servers.get(name)!.received.map(({ headers }) => headers['webhook-id']);
  const [CRM, ATS] = [
    { name: 'crm', ...EVERYTHING },
    { name: 'ats', ...EVERYTHING },
  ];

  test('each has its own state of an event, its own dead letters and its own figures', async () => {
    const { deliverer, feed, records, sinks } = openSinks([CRM, ATS], [routeTo(CRM, [5]), routeTo(ATS)]);
    await feed.begin();
    servers.get('crm')!.answer = json({}, 500);
    await delivery.put([], anEvent({ id: 'e1' }));
    await runAll(deliverer);
    delivery.clock += 6_000;
    await runAll(deliverer);
    const [event] = (await records.list({})).items;
    expect(event).toMatchObject({
      state: 'dead',
      attempts: 2,
      lastFailure: 'sink:crm: status 500',
      sinks: [
        { sink: 'crm', state: 'dead', attempts: 2, lastFailure: 'sink:crm: status 500', dueAt: null },
        { sink: 'ats', state: 'delivered', attempts: 1, lastFailure: null, webhookId: 'e1' },
      ],
    });
    expect([idsAt('crm'), idsAt('ats')]).toEqual([['e1', 'e1'], ['e1']]);
    const counts = new EventCounts(delivery.database, delivery.now, sinks);
    expect((await counts.backlog()).filter(({ count }) => count > 0)).toEqual([
      { sink: 'crm', state: 'dead', count: 1 },
    ]);
    const { text } = await delivery.counted.expose();
    expect(text).toContain('bff_webhook_deliveries_total{outcome="dead",sink="crm"} 1');
    expect(text).toContain('bff_webhook_deliveries_total{outcome="delivered",sink="ats"} 1');
    expect(text).toContain('bff_webhook_deliveries_total{outcome="dead",sink="ats"} 0');
    expect(text).toContain('bff_webhook_backlog{state="dead",sink="crm"} 1');
    const listed = await Promise.all(
      (['dead', 'delivered', 'stored', 'failed', 'pending'] as const).map(async (state) => {
        const { items } = await records.list({ state });
        return items.length;
      }),
    );
    expect(listed).toEqual([1, 0, 0, 0, 0]);
  });

  test('one that hangs holds up no other, however many events wait for it', async () => {
    const { deliverer, feed } = openSinks([CRM, ATS]);
    await feed.begin();
    servers.get('crm')!.answer = () => undefined;
    const events = Array.from({ length: 40 }, () => anEvent());
    await delivery.put([], ...events);
    await deliverer.onApplicationBootstrap();
    await until(() => idsAt('ats').length === events.length);
    expect(idsAt('crm')).toHaveLength(8);
    await deliverer.onApplicationShutdown();
  });

  test.each([
    [ONE, OTHER],
    [OTHER, ONE],
  ])('a sink of the hirer %s gets no event of %s, nor one of no hirer', async (mine, others) => {
    const { deliverer, feed, records } = openSinks([CRM, { ...ATS, hirers: [mine] }]);
    await feed.begin();
    await delivery.put(
      [],
      anEvent({ id: 'other', hirerId: others }),
      anEvent({ id: 'mine', hirerId: mine }),
      anEvent({ id: 'none', hirerId: undefined }),
    );
    await runAll(deliverer);
    expect([idsAt('ats'), idsAt('crm')]).toEqual([['mine'], ['other', 'mine', 'none']]);
    expect(await records.redeliver('other', undefined, 'ats')).toEqual({ kind: 'unwanted' });
    expect(await records.redeliver('none', undefined, 'ats')).toEqual({ kind: 'unwanted' });
    expect(await records.redeliver('other')).toMatchObject({ kind: 'queued' });
    await runAll(deliverer);
    expect(idsAt('ats')).toEqual(['mine']);
    expect(idsAt('crm')).toEqual(['other', 'mine', 'none', 'other']);
  });

  test('a sink whose filter has become narrower gets nothing that was queued before', async () => {
    const before = openSinks([CRM]);
    await before.feed.begin();
    await delivery.put([], anEvent({ id: 'other', hirerId: OTHER }), anEvent({ id: 'mine', hirerId: ONE }));
    await before.feed.run();
    const { deliverer, records } = openSinks([{ ...CRM, hirers: [ONE] }]);
    await runAll(deliverer);
    expect(idsAt('crm')).toEqual(['mine']);
    expect((await records.list({ id: 'other' })).items[0]).toMatchObject({ state: 'stored' });
  });

  test('a new sink gets events from then on, and earlier ones when an operator names it', async () => {
    const first = openSinks([CRM]);
    await first.feed.begin();
    await delivery.put([], anEvent({ id: 'before' }));
    await runAll(first.deliverer);
    const { deliverer, feed, sinks } = openSinks([CRM, ATS]);
    await feed.begin();
    await delivery.put([], anEvent({ id: 'after' }));
    await runAll(deliverer);
    expect([idsAt('crm'), idsAt('ats')]).toEqual([['before', 'after'], ['after']]);
    const store = new RedeliveryStore(delivery.database, delivery.now, sinks);
    expect(await store.count({ state: 'stored', sink: 'ats' })).toBe(1);
    await store.start({ state: 'stored', sink: 'ats' }, undefined);
    await new RedeliveryWorker(store, deliverer, silentLog).run();
    await runAll(deliverer);
    expect([idsAt('crm'), idsAt('ats')]).toEqual([
      ['before', 'after'],
      ['after', 'before'],
    ]);
  });

  test('what is dead at one sink is redelivered to that one alone, also where all sinks are asked for', async () => {
    const { deliverer, feed, sinks, records } = openSinks([CRM, ATS], [routeTo(CRM, [5]), routeTo(ATS)]);
    await feed.begin();
    servers.get('crm')!.answer = json({}, 410);
    await delivery.put([], anEvent({ id: 'a' }), anEvent({ id: 'b' }));
    await runAll(deliverer);
    servers.get('crm')!.answer = json({}, 200);
    const store = new RedeliveryStore(delivery.database, delivery.now, sinks);
    expect(await store.count({ state: 'dead', sink: 'ats' })).toBe(0);
    const started = await store.start({ state: 'dead' }, undefined, true);
    await new RedeliveryWorker(store, deliverer, silentLog).run();
    await runAll(deliverer);
    expect(await store.find(started!.id)).toMatchObject({
      state: 'done',
      queued: 2,
      events: { delivered: 2 },
    });
    expect(idsAt('ats')).toEqual(['a', 'b']);
    expect(idsAt('crm').slice(2)).toEqual([
      expect.stringMatching(`redelivery:${started!.id}:`),
      expect.stringMatching(`redelivery:${started!.id}:`),
    ]);
    expect((await records.list({ state: 'delivered' })).items).toHaveLength(2);
  });

  test('an event that a fuller copy completes, or that is sent again late, reaches each sink again', async () => {
    const { deliverer, feed } = openSinks([CRM, ATS]);
    await feed.begin();
    const event = anEvent({ id: 'e1' });
    await delivery.put([], event);
    await runAll(deliverer);
    await delivery.put([], { ...event, more: 'x' });
    await runAll(deliverer);
    delivery.clock += 400_000;
    await delivery.put([], { ...event, more: 'x' });
    await runAll(deliverer);
    for (const name of ['crm', 'ats']) {
      const { received } = servers.get(name)!;
      expect(received.map(({ headers }) => [headers['webhook-id'], headers['webhook-repeat']])).toEqual([
        ['e1', undefined],
        ['e1', 'true'],
        ['e1', 'true'],
      ]);
      expect(JSON.parse(received[1]!.body)).toMatchObject({ data: { more: 'x' } });
    }
  });

  test('deliveries to a removed sink are told in a warning, are no backlog, and go on if it comes back', async () => {
    const before = openSinks([CRM, ATS]);
    await before.feed.begin();
    servers.get('ats')!.answer = json({}, 500);
    await delivery.put([], anEvent({ id: 'a' }), anEvent({ id: 'b' }));
    await runAll(before.deliverer);
    const { sinks } = openSinks([CRM]);
    const warnings: unknown[] = [];
    const log = { info: () => undefined, warn: (fields: unknown) => warnings.push(fields) };
    await new SinkFeed(delivery.database, sinks, log as never, delivery.now).begin();
    expect(warnings).toEqual([{ sink: 'ats', failed: 2 }]);
    const counts = new EventCounts(delivery.database, delivery.now, sinks);
    expect((await counts.backlog()).every(({ count }) => count === 0)).toBe(true);
    await delivery.put([], anEvent({ id: 'meanwhile' }));
    servers.get('ats')!.answer = json({}, 200);
    delivery.clock += 10_000;
    const back = openSinks([CRM, ATS]);
    await back.feed.begin();
    await runAll(back.deliverer);
    expect(idsAt('ats').slice(2).sort()).toEqual(['a', 'b', 'meanwhile']);
  });

  test('a sink that nobody has had for the time of retention is forgotten; payloads wait for the sinks there are', async () => {
    const { deliverer, feed, retention } = openSinks([CRM, ATS]);
    await feed.begin();
    servers.get('ats')!.answer = json({}, 500);
    await delivery.put([], anEvent({ id: 'a' }));
    await runAll(deliverer);
    delivery.clock += 1_000;
    await feed.forget(delivery.clock);
    expect(await retention.purgePayloads(delivery.clock)).toBe(0);
    const { feed: later, retention: without } = openSinks([CRM]);
    delivery.clock += 1_000;
    await later.forget(delivery.clock - 500);
    expect(await without.purgePayloads(delivery.clock)).toBe(1);
    const left = await delivery.database.query('SELECT DISTINCT sink FROM event_deliveries');
    expect(left).toEqual([{ sink: 'crm' }]);
    const names = await delivery.database.query('SELECT name FROM event_sinks');
    expect(names).toEqual([{ name: 'crm' }]);
  });

  test('an event whose payload an older version has deleted waits no longer', async () => {
    const { deliverer, feed, records } = openSinks([CRM]);
    await feed.begin();
    await delivery.put([], anEvent({ id: 'e1' }));
    await feed.run();
    await takePayloads(delivery.database);
    await runAll(deliverer);
    expect(idsAt('crm')).toEqual([]);
    expect((await records.list({})).items).toMatchObject([{ state: 'stored', dueAt: null }]);
  });

  test('two replicas deliver each event to each sink once', async () => {
    const sinks = [CRM, ATS];
    const one = openSinks(sinks);
    const routes = sinks.map((sink) => routeTo(sink));
    const other = delivery.openDeliverer(
      [],
      delivery.replica(),
      8,
      undefined,
      routes,
      new EventSinks(sinks, false),
    );
    const replicas = [one.deliverer, other];
    for (const replica of replicas) await replica.onApplicationBootstrap();
    const events = Array.from({ length: 100 }, (_, index) => anEvent({ id: `e${index}` }));
    for (const event of events) await delivery.put([], event);
    await until(async () => (await one.records.list({ state: 'delivered' })).items.length === events.length);
    await Promise.all(replicas.map((replica) => replica.onApplicationShutdown()));
    const ids = events.map(({ id }) => id).sort();
    expect([idsAt('crm').sort(), idsAt('ats').sort()]).toEqual([ids, ids]);
  });
});
