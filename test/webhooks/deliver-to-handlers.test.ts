import { DeliveryQueue } from '../../src/webhooks/deliver/delivery-queue.js';
import { EventRefused, type EventHandler } from '../../src/webhooks/deliver/event-handler.js';
import { HandlerTarget } from '../../src/webhooks/deliver/handler-target.js';
import { EventRecords } from '../../src/webhooks/store/records/event-records.js';
import { json } from '../support/json-server.js';
import { TEST_DATABASES } from '../support/test-database.js';
import { until } from '../support/until.js';
import { silentLog, useDelivery } from './delivery-setup.js';
import { anEvent } from './send-webhook.js';

const LEASE_MS = 30_000;

describe.each(TEST_DATABASES)('delivery from $name', ({ open }) => {
  const delivery = useDelivery(open);

  test('of one event to several handlers is retried only for those that failed', async () => {
    const calls: string[] = [];
    let broken = true;
    const handlers: EventHandler[] = [
      { name: 'good', handle: async ({ id }) => void calls.push(`good ${id}`) },
      {
        name: 'bad',
        types: ['CandidateApplicationCreated'],
        handle: async ({ id }) => {
          calls.push(`bad ${id}`);
          if (broken) throw new Error('not now');
        },
      },
    ];
    const targets = [
      delivery.openSink(),
      ...handlers.map((handler) => new HandlerTarget(handler, silentLog)),
    ];
    await delivery.put(targets, anEvent({ id: 'e1' }), anEvent({ id: 'e2', type: 'PositionProfilePosted' }));
    const deliverer = delivery.openDeliverer(targets);
    await delivery.run(deliverer);
    broken = false;
    delivery.clock += 6_000;
    await delivery.run(deliverer);
    expect(calls.sort()).toEqual(['bad e1', 'bad e1', 'good e1', 'good e2']);
    expect(delivery.server.received).toHaveLength(2);
    expect(await delivery.states()).toEqual(['delivered', 'delivered']);
  });

  test('does not ask a target again that refused the event for good, while another target fails', async () => {
    let refusals = 0;
    const refusing: EventHandler = {
      name: 'refusing',
      handle: () => {
        refusals += 1;
        return Promise.reject(new EventRefused('never'));
      },
    };
    const targets = [delivery.openSink(), new HandlerTarget(refusing, silentLog)];
    delivery.server.answer = json({}, 500);
    await delivery.put(targets, anEvent({ id: 'e1' }));
    const deliverer = delivery.openDeliverer(targets);
    await delivery.run(deliverer);
    expect((await delivery.records())[0]).toMatchObject({ state: 'failed' });
    delivery.server.answer = json({}, 200);
    delivery.clock += 6_000;
    await delivery.run(deliverer);
    expect([refusals, delivery.server.received.length]).toEqual([1, 2]);
    expect((await delivery.records())[0]).toMatchObject({ state: 'dead', attempts: 2 });
    expect((await delivery.records())[0]!.lastFailure).toContain('handler:refusing');
    await new EventRecords(delivery.database, delivery.now).redeliver('e1');
    await delivery.run(deliverer);
    expect([refusals, delivery.server.received.length]).toEqual([2, 3]);
  });

  test('to a handler that refuses the event ends at once, and to one that hangs is retried', async () => {
    const refusing = { name: 'refusing', handle: () => Promise.reject(new EventRefused('never')) };
    const hanging = { name: 'hanging', handle: () => new Promise<void>(() => undefined) };
    for (const [handler, state] of [
      [refusing, 'dead'],
      [hanging, 'failed'],
    ] as const) {
      const targets = [new HandlerTarget(handler, silentLog, 10)];
      await delivery.put(targets, anEvent());
      await delivery.run(delivery.openDeliverer(targets));
      expect((await delivery.states())[0]).toBe(state);
    }
  });

  test('under way at a stop is cancelled, and due again at once without losing an attempt', async () => {
    const calls: string[] = [];
    const quick: EventHandler = { name: 'quick', handle: async ({ id }) => void calls.push(id) };
    const deaf: EventHandler = { name: 'deaf', handle: () => new Promise(() => undefined) };
    const targets = [
      delivery.openSink(),
      new HandlerTarget(quick, silentLog),
      new HandlerTarget(deaf, silentLog),
    ];
    let closed = 0;
    delivery.server.answer = (_received, response) => void response.on('close', () => (closed += 1));
    await delivery.put(targets, anEvent({ id: 'e1' }));
    const deliverer = delivery.openDeliverer(targets);
    await deliverer.onApplicationBootstrap();
    await until(() => delivery.server.received.length === 1 && calls.length === 1);
    await deliverer.onApplicationShutdown();
    await until(() => closed === 1);
    expect((await delivery.records())[0]).toMatchObject({ state: 'pending', attempts: 0, lastFailure: null });
    const [taken] = await new DeliveryQueue(delivery.database, LEASE_MS, delivery.now).take(1);
    expect(taken).toMatchObject({ done: ['handler:quick'], attempts: 1 });
  });
});
