import { EventSinks, type SinkFilter } from '../../src/webhooks/store/event-sinks.js';
import { EventRetention } from '../../src/webhooks/store/event-retention.js';
import { EventRedelivery } from '../../src/webhooks/store/redeliver-events.js';
import type { Sink } from '../../src/webhooks/deliver/sinks/sink.js';
import type { DeliveryWorkers } from '../../src/webhooks/deliver/delivery-workers.js';
import { json, startJsonServer, type JsonServer } from '../support/json-server.js';
import { testDatabases } from '../support/test-database.js';
import { until } from '../support/until.js';
import { SCHEDULE_SECONDS, useDelivery } from './delivery-setup.js';
import { signed } from './event-store-setup.js';
import { anEvent, type SentEvent } from './send-webhook.js';

const [ONE, OTHER] = ['scheme:organization:one', 'scheme:organization:other'];
const EVERYTHING = { types: [], hirers: [] };

describe.each(testDatabases())('several sinks, in $name', ({ open }) => {
  const delivery = useDelivery(open);
  const servers = new Map<string, JsonServer>();

  beforeAll(async () => {
    for (const name of ['crm', 'ats']) servers.set(name, await startJsonServer(json({}, 200)));
  });
  beforeEach(() => {
    for (const server of servers.values()) {
      (server.received as unknown[]).length = 0;
      server.answer = json({}, 200);
    }
  });

  function routeTo(filter: SinkFilter, retrySeconds = SCHEDULE_SECONDS): Sink {
    const url = new URL('/', servers.get(filter.name)!.url);
    return delivery.openSink({ ...filter, url, timeoutMs: 60_000, retrySeconds });
  }

  /** A replica with these sinks. */
  function openSinks(own: readonly SinkFilter[], routes = own.map((sink) => routeTo(sink))) {
    const { database } = delivery;
    const sinks = new EventSinks(own);
    const inbox = delivery.openInbox(database, sinks);
    return {
      deliverer: delivery.openDeliverer({ sinks: routes }),
      put: (...events: SentEvent[]) => inbox.put(events.map(signed)),
      records: delivery.records(sinks),
      redelivery: new EventRedelivery(database, sinks),
      retention: new EventRetention(database, sinks),
    };
  }

  async function runAll(deliverer: DeliveryWorkers): Promise<void> {
    for (let turn = 0; turn < 10; turn += 1) await delivery.run(deliverer);
  }

  const idsAt = (name: string): unknown[] =>
    servers.get(name)!.received.map(({ headers }) => headers['webhook-id']);
  const [CRM, ATS] = [
    { name: 'crm', ...EVERYTHING },
    { name: 'ats', ...EVERYTHING },
  ];

  test('each has its own state of an event, its own dead letters and its own figures', async () => {
    const { deliverer, put, records } = openSinks([CRM, ATS], [routeTo(CRM, [5]), routeTo(ATS)]);
    servers.get('crm')!.answer = json({}, 500);
    await put(anEvent({ id: 'e1' }));
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
    const text = await delivery.counted.registry.metrics();
    expect(text).toContain('bff_webhook_deliveries_total{outcome="dead",sink="crm"} 1');
    expect(text).toContain('bff_webhook_deliveries_total{outcome="delivered",sink="ats"} 1');
    expect(text).toContain('bff_webhook_deliveries_total{outcome="dead",sink="ats"} 0');
    expect(text).toContain('bff_webhook_backlog{state="dead",sink="crm"} 1');
    expect(text).toContain('bff_webhook_backlog{state="dead",sink="ats"} 0');
    expect((await records.list({ state: 'dead' })).items).toHaveLength(1);
    for (const state of ['delivered', 'stored', 'failed', 'pending'] as const) {
      expect((await records.list({ state })).items).toEqual([]);
    }
  });

  test.each([
    [ONE, OTHER],
    [OTHER, ONE],
  ])('a sink of the hirer %s gets no event of %s, nor one of no hirer', async (mine, others) => {
    const { deliverer, put, redelivery } = openSinks([CRM, { ...ATS, hirers: [mine] }]);
    await put(
      anEvent({ id: 'other', hirerId: others }),
      anEvent({ id: 'mine', hirerId: mine }),
      anEvent({ id: 'none', hirerId: undefined }),
    );
    await runAll(deliverer);
    expect([idsAt('ats'), idsAt('crm')]).toEqual([['mine'], ['other', 'mine', 'none']]);
    for (const id of ['other', 'none']) {
      await expect(redelivery.redeliver(id, false, 'ats')).rejects.toMatchObject({ code: 'invalid_request' });
    }
    await redelivery.redeliver('other', false, undefined);
    await runAll(deliverer);
    expect(idsAt('ats')).toEqual(['mine']);
    expect(idsAt('crm')).toEqual(['other', 'mine', 'none', 'other']);
  });

  test('a sink whose filter has become narrower gets nothing that was queued before', async () => {
    const { put } = openSinks([CRM]);
    await put(anEvent({ id: 'other', hirerId: OTHER }), anEvent({ id: 'mine', hirerId: ONE }));
    const { deliverer, records } = openSinks([{ ...CRM, hirers: [ONE] }]);
    await runAll(deliverer);
    expect(idsAt('crm')).toEqual(['mine']);
    expect((await records.list({ state: 'stored' })).items).toMatchObject([{ id: 'other', state: 'stored' }]);
  });

  test('a new sink gets events from then on, and earlier ones when an operator names it', async () => {
    const first = openSinks([CRM]);
    await first.put(anEvent({ id: 'before' }));
    await runAll(first.deliverer);
    const { deliverer, put, redelivery } = openSinks([CRM, ATS]);
    await put(anEvent({ id: 'after' }));
    await runAll(deliverer);
    expect([idsAt('crm'), idsAt('ats')]).toEqual([['before', 'after'], ['after']]);
    const filter = { state: 'stored', sink: 'ats' } as const;
    expect(await redelivery.count(filter)).toBe(1);
    await redelivery.redeliverAll(filter, false);
    await runAll(deliverer);
    expect([idsAt('crm'), idsAt('ats')]).toEqual([
      ['before', 'after'],
      ['after', 'before'],
    ]);
  });

  test('an event that no sink takes is not redelivered, and says so', async () => {
    const { redelivery, put } = openSinks([{ ...CRM, types: ['PositionProfilePosted'] }]);
    await put(anEvent({ id: 'a', type: 'PositionProfileClosed' }));
    const refused = redelivery.redeliver('a', false, undefined);
    await expect(refused).rejects.toMatchObject({ code: 'invalid_request' });
  });

  test('what no sink got goes to every sink where none is named, and nothing that one got', async () => {
    await openSinks([]).put(anEvent({ id: 'a' }), anEvent({ id: 'b' }));
    const first = openSinks([CRM]);
    await first.put(anEvent({ id: 'at-crm' }));
    await runAll(first.deliverer);
    const { deliverer, redelivery } = openSinks([CRM, ATS]);
    expect(await redelivery.count({ state: 'stored' })).toBe(4);
    expect(await redelivery.redeliverAll({ state: 'stored' }, false)).toBe(4);
    delivery.clock += 1_000;
    await runAll(deliverer);
    expect([idsAt('crm'), idsAt('ats')]).toEqual([
      ['at-crm', 'a', 'b'],
      ['a', 'b'],
    ]);
  });

  test('what is dead at one sink is redelivered to that one alone, also where all sinks are asked for', async () => {
    const { deliverer, put, redelivery, records } = openSinks([CRM, ATS], [routeTo(CRM, [5]), routeTo(ATS)]);
    servers.get('crm')!.answer = json({}, 410);
    await put(anEvent({ id: 'a' }), anEvent({ id: 'b' }));
    await runAll(deliverer);
    servers.get('crm')!.answer = json({}, 200);
    expect(await redelivery.count({ state: 'dead', sink: 'ats' })).toBe(0);
    expect(await redelivery.redeliverAll({ state: 'dead' }, true)).toBe(2);
    delivery.clock += 1_000;
    await runAll(deliverer);
    expect(idsAt('ats')).toEqual(['a', 'b']);
    expect(idsAt('crm').slice(2)).toEqual(
      ['a', 'b'].map(() => expect.stringMatching(/^redelivery:[-\w]+:\d+$/)),
    );
    expect((await records.list({ state: 'delivered' })).items).toHaveLength(2);
  });

  test('an event that a fuller copy completes, or that is sent again late, reaches each sink again', async () => {
    const { deliverer, put } = openSinks([CRM, ATS]);
    const event = anEvent({ id: 'e1' });
    await put(event);
    await runAll(deliverer);
    await put({ ...event, more: 'x' });
    await runAll(deliverer);
    delivery.clock += 400_000;
    await put({ ...event, more: 'x' });
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

  test('deliveries to a removed sink stay, are no backlog, and go on if it comes back', async () => {
    const before = openSinks([CRM, ATS]);
    servers.get('ats')!.answer = json({}, 500);
    await before.put(anEvent({ id: 'a' }), anEvent({ id: 'b' }));
    await runAll(before.deliverer);
    const { put, deliverer } = openSinks([CRM]);
    expect(await delivery.counted.registry.metrics()).not.toMatch(/^bff_webhook_backlog.* [^0]/m);
    await put(anEvent({ id: 'meanwhile' }));
    servers.get('ats')!.answer = json({}, 200);
    delivery.clock += 10_000;
    await runAll(deliverer);
    expect(idsAt('ats')).toHaveLength(2);
    await runAll(openSinks([CRM, ATS]).deliverer);
    expect(idsAt('ats').slice(2).sort()).toEqual(['a', 'b']);
    expect(idsAt('crm')).toEqual(['a', 'b', 'meanwhile']);
  });

  test('payloads wait for the sinks there are, and for no other', async () => {
    const { deliverer, put, retention } = openSinks([CRM, ATS]);
    servers.get('ats')!.answer = json({}, 500);
    await put(anEvent({ id: 'a' }));
    await runAll(deliverer);
    delivery.clock += 1_000;
    expect(await retention.purgePayloads(delivery.clock)).toBe(0);
    const { retention: without, records } = openSinks([CRM]);
    expect(await without.purgePayloads(delivery.clock)).toBe(1);
    expect((await records.list({})).items).toMatchObject([{ payload: null }]);
  });

  test('two replicas deliver each event to each sink once', async () => {
    const sinks = [CRM, ATS];
    const one = openSinks(sinks);
    const routes = sinks.map((sink) => routeTo(sink));
    const other = delivery.openDeliverer({ sinks: routes, over: delivery.replica() });
    const replicas = [one.deliverer, other];
    for (const replica of replicas) replica.onApplicationBootstrap();
    const events = Array.from({ length: 100 }, (_, index) => anEvent({ id: `e${index}` }));
    for (const event of events) await one.put(event);
    await until(async () => (await one.records.list({ state: 'delivered' })).items.length === events.length);
    await Promise.all(replicas.map((replica) => replica.onApplicationShutdown()));
    const ids = events.map(({ id }) => id).sort();
    expect([idsAt('crm').sort(), idsAt('ats').sort()]).toEqual([ids, ids]);
  });
});
