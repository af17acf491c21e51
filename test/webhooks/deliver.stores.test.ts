import type { DeliveryWorkers } from '../../src/webhooks/deliver/delivery-workers.js';
import { json } from '../support/json-server.js';
import { failEvents, forgetEvents, storedEvents } from '../support/stored.js';
import { testDatabases } from '../support/test-database.js';
import { expectShortTurns, until } from '../support/until.js';
import { SCHEDULE_SECONDS, useDelivery } from './delivery-setup.js';
import { anEvent } from './send-webhook.js';
import type { ObjectOutcome } from '../../src/webhooks/deliver/read-object.js';
import type { ObjectSource } from '../../src/webhooks/deliver/event-objects.js';

describe.each(testDatabases())('after the sink has answered again, in $name', ({ open, isServer }) => {
  const delivery = useDelivery(open);
  const WAITING = isServer ? 2_000 : 10_000; // a server answers each claim after a way over the network

  const OLD = Array.from({ length: 12 }, (_, index) => `old-${String(index).padStart(2, '0')}`);

  /** Stores events one after another, and lets each fail three times. */
  async function failThrice(deliverer: DeliveryWorkers): Promise<void> {
    delivery.server.answer = json({}, 500);
    for (const id of OLD) {
      await delivery.put(anEvent({ id }));
      delivery.clock += 1;
    }
    for (const pauseMs of [0, 7_000, 40_000]) {
      delivery.clock += pauseMs;
      await delivery.runAll(deliverer);
    }
    expect((await delivery.list()).map(({ attempts, state }) => `${state} ${attempts}`)).toEqual(
      OLD.map(() => 'failed 3'),
    );
    delivery.forgetReceived();
    delivery.server.answer = json({}, 200);
  }

  test('what failed is due at once, the oldest first', async () => {
    const deliverer = delivery.openDeliverer({ concurrency: 1 });
    await failThrice(deliverer);
    await delivery.run(deliverer);
    expect(delivery.deliveredIds()).toEqual([]); // nobody knows yet
    await delivery.put(anEvent({ id: 'new' }));
    await delivery.runAll(deliverer);
    expect(delivery.deliveredIds()).toEqual(['new', ...OLD]);
    expect(new Set(await delivery.states())).toEqual(new Set(['delivered']));
  });

  test('thousands are begun the oldest first, and hold the event loop for no long turn', async () => {
    const { sink, ids: begun } = delivery.openQuickSink();
    const many = Array.from({ length: WAITING }, (_, index) => anEvent({ id: `waiting-${index}` }));
    const outage = async (): Promise<void> => {
      await forgetEvents(delivery.database);
      begun.length = 0;
      for (let start = 0; start < WAITING; start += 500) {
        await delivery.put(...many.slice(start, start + 500));
        delivery.clock += 1;
      }
      await failEvents(delivery.database, delivery.clock + 3_600_000);
      await delivery.put(anEvent({ id: 'new' }));
    };
    await outage();
    await expectShortTurns(async () => {
      if (begun.length > 0) await outage();
      const deliverer = delivery.openDeliverer({ sinks: [sink] });
      deliverer.onApplicationBootstrap();
      await until(() => begun.length > WAITING, 110_000);
      await deliverer.onApplicationShutdown();
    });
    expect(begun).toEqual(['new', ...many.map(({ id }) => id)]);
  });

  test('so it is when the service was started meanwhile', async () => {
    await failThrice(delivery.openDeliverer());
    await delivery.put(anEvent({ id: 'new' }));
    await delivery.runAll(delivery.openDeliverer());
    expect(delivery.deliveredIds().sort()).toEqual(['new', ...OLD].sort());
  });

  test('two replicas that both see it deliver each event once', async () => {
    await failThrice(delivery.openDeliverer());
    await delivery.put(...Array.from({ length: 4 }, (_, index) => anEvent({ id: `new-${index}` })));
    const replicas = [delivery.openDeliverer(), delivery.openDeliverer({ over: delivery.replica() })];
    for (const replica of replicas) replica.onApplicationBootstrap();
    await until(async () => (await delivery.states()).every((state) => state === 'delivered'));
    await Promise.all(replicas.map((replica) => replica.onApplicationShutdown()));
    expect(delivery.deliveredIds().sort()).toEqual([...OLD, 'new-0', 'new-1', 'new-2', 'new-3'].sort());
  });

  test('one whose own pause has just ended is no later than those behind it', async () => {
    const queue = delivery.queue();
    for (const [id, pauseMs] of [
      ['older', 1_000],
      ['younger', 60_000],
    ] as const) {
      await delivery.put(anEvent({ id }));
      await delivery.settle({ state: 'failed', pauseMs });
      delivery.clock += 1;
    }
    delivery.clock += 1_000;
    await queue.recover();
    expect(await queue.claim(1)).toMatchObject([{ id: 'older' }]);
    expect(await queue.claim(1)).toMatchObject([{ id: 'younger' }]);
  });

  test('an event under way is left alone', async () => {
    const queue = delivery.queue();
    await delivery.put(anEvent({ id: 'under-way' }));
    await delivery.settle({ state: 'failed', pauseMs: 1_000 });
    delivery.clock += 1_001;
    expect(await queue.claim(1)).toMatchObject([{ id: 'under-way', attempts: 2 }]);
    await queue.recover();
    expect(await queue.claim(10)).toEqual([]);
  });

  test('one that always fails is dead in the end, after few more attempts than its schedule has', async () => {
    const deliverer = delivery.openDeliverer();
    const poison = `"id":"poison"`;
    delivery.server.answer = (received, response) =>
      void response.writeHead(received.body.includes(poison) ? 500 : 200).end();
    await delivery.put(anEvent({ id: 'poison' }));
    for (let round = 0; round < 200; round += 1) {
      await delivery.put(anEvent());
      await delivery.run(deliverer);
      delivery.clock += 10_000;
    }
    const [dead] = (await delivery.records().list({ id: 'poison' })).items;
    expect(dead).toMatchObject({ state: 'dead' });
    expect(dead!.attempts).toBeLessThanOrEqual(5 + 5 + SCHEDULE_SECONDS.length + 1);
  });
});

describe.each(testDatabases())('delivery from $name', ({ open }) => {
  const delivery = useDelivery(open);

  test('leaves out members that only the service may say, which the record keeps', async () => {
    const ours = { object: { forged: true }, objectErrors: ['forged'], redeliveryOf: 'forged' };
    const event = anEvent({ nested: { object: 'theirs' }, price: 'PRICE' });
    await delivery.put({ ...event, ...ours }, { ...anEvent(), type: 'Other', ...ours });
    await delivery.run(delivery.openDeliverer());
    const bodies = delivery.server.received.map(({ body }) => JSON.parse(body));
    expect(bodies.map(({ data }) => data).find(({ id }) => id === event['id'])).toEqual(event);
    expect(JSON.stringify(bodies)).not.toContain('forged');
    const [stored] = await storedEvents(delivery.database);
    expect(JSON.parse(stored!.payload!)).toMatchObject(ours);
  });

  test('is that of one replica for as long as the object of the event may take', async () => {
    const asked = Promise.withResolvers<void>();
    const object = Promise.withResolvers<ObjectOutcome>();
    const objects: ObjectSource = {
      has: () => true,
      fetch: () => {
        asked.resolve();
        return object.promise;
      },
    };
    const first = delivery.openDeliverer({ objects });
    const second = delivery.openDeliverer({ over: delivery.replica() });
    await delivery.put(anEvent());
    await first.takeDue();
    await asked.promise;
    delivery.clock += 19_000;
    await delivery.run(second);
    expect(delivery.deliveredIds()).toEqual([]);
    object.resolve({ kind: 'settled', object: '{}', errors: [] });
    await first.idle();
    expect(await delivery.states()).toEqual(['delivered']);
    expect(delivery.deliveredIds()).toHaveLength(1);
  });
});

describe('a stored event', () => {
  const delivery = useDelivery();
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'Date'] }));
  afterEach(() => jest.useRealTimers());

  test('is delivered at its notice, while the time of the next look never comes', async () => {
    const sink = delivery.openSink();
    const delivered = Promise.withResolvers<string>();
    sink.deliver = async ({ id }) => {
      delivered.resolve(id);
      return { kind: 'delivered' };
    };
    const deliverer = delivery.openDeliverer({ sinks: [sink] });
    deliverer.onApplicationBootstrap();
    expect(await delivery.states()).toEqual([]); // answered after the first look
    await delivery.put(anEvent({ id: 'noticed' }));
    expect(await delivered.promise).toBe('noticed');
    await deliverer.onApplicationShutdown();
  });
});
