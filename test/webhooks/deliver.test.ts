import type { ObjectOutcome } from '../../src/webhooks/deliver/objects/delivered-object.js';
import type { ObjectSource } from '../../src/webhooks/deliver/objects/object-stage.js';
import { storedEvents } from '../support/stored.js';
import { TEST_DATABASES } from '../support/test-database.js';
import { until } from '../support/until.js';
import { useDelivery } from './delivery-setup.js';
import { anEvent } from './send-webhook.js';

describe.each(TEST_DATABASES)('delivery from $name', ({ open }) => {
  const delivery = useDelivery(open);

  test('leaves out members that only the service may say, which the record keeps', async () => {
    const ours = { object: { forged: true }, objectErrors: ['forged'], redeliveryOf: 'forged' };
    const targets = [delivery.openSink()];
    const event = anEvent({ nested: { object: 'theirs' }, price: 'PRICE' });
    await delivery.put(targets, { ...event, ...ours }, { ...anEvent(), type: 'Other', ...ours });
    await delivery.run(delivery.openDeliverer(targets));
    const bodies = delivery.server.received.map(({ body }) => JSON.parse(body));
    expect(bodies.map(({ data }) => data).find(({ id }) => id === event['id'])).toEqual(event);
    expect(JSON.stringify(bodies)).not.toContain('forged');
    const [stored] = await storedEvents(delivery.database);
    expect(JSON.parse(stored!.payload!)).toMatchObject(ours);
  });

  test('is shared by replicas, each of which delivers different events', async () => {
    const targets = [delivery.openSink()];
    await delivery.put(targets, ...Array.from({ length: 60 }, () => anEvent()));
    const replicas = [delivery.openDeliverer(targets), delivery.openDeliverer(targets, delivery.replica())];
    for (const replica of replicas) replica.onApplicationBootstrap();
    await until(async () => (await delivery.states()).every((state) => state === 'delivered'));
    await Promise.all(replicas.map((replica) => replica.onApplicationShutdown()));
    const ids = delivery.server.received.map(({ headers }) => headers['webhook-id']);
    expect([ids.length, new Set(ids).size]).toEqual([60, 60]);
  });

  test('is that of one replica for as long as the object of the event may take', async () => {
    const targets = [delivery.openSink()];
    const asked = Promise.withResolvers<void>();
    const object = Promise.withResolvers<ObjectOutcome>();
    const objects: ObjectSource = {
      has: () => true,
      fetch: () => {
        asked.resolve();
        return object.promise;
      },
      late: () => ({ kind: 'waiting', reason: 'late', pauseMs: 1_000 }),
    };
    const first = delivery.openDeliverer(targets, delivery.database, 8, objects);
    const second = delivery.openDeliverer([delivery.openSink()], delivery.replica());
    await delivery.put(targets, anEvent());
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
