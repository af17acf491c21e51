import { Webhook } from 'standardwebhooks';
import { TEST_DATABASES } from '../support/test-database.js';
import { until } from '../support/until.js';
import { KEYS, useDelivery } from './delivery-setup.js';
import { anEvent } from './send-webhook.js';

describe.each(TEST_DATABASES)('delivery from $name', ({ open }) => {
  const delivery = useDelivery(open);

  test('sends the sink one event per request, which the official library verifies with either secret', async () => {
    const targets = [delivery.openSink()];
    const events = [anEvent({ note: 'ü "quoted"' }), anEvent({ createDateTime: undefined })];
    await delivery.put(targets, ...events);
    await delivery.run(delivery.openDeliverer(targets));
    expect(delivery.server.received).toHaveLength(2);
    for (const { headers, body, method, url } of delivery.server.received) {
      expect([method, url, headers['content-type']]).toEqual(['POST', '/sink?tenant=1', 'application/json']);
      for (const key of KEYS) {
        const event = new Webhook(`whsec_${key.toString('base64')}`).verify(
          body,
          headers as Record<string, string>,
        );
        const sent = events.find(({ id }) => id === headers['webhook-id'])!;
        expect(event).toEqual({
          type: sent['type'],
          timestamp: sent['createDateTime'] ?? new Date(delivery.clock).toISOString(),
          data: sent,
        });
      }
      expect(headers['webhook-repeat']).toBeUndefined();
    }
    expect(await delivery.states()).toEqual(['delivered', 'delivered']);
    expect((await delivery.counted.expose()).text).toContain(
      'bff_webhook_deliveries_total{outcome="delivered"} 2',
    );
  });

  test('leaves out members that only the service may say, which the record keeps', async () => {
    const ours = { object: { forged: true }, objectErrors: ['forged'], redeliveryOf: 'forged' };
    const targets = [delivery.openSink()];
    const event = anEvent({ nested: { object: 'theirs' }, price: 'PRICE' });
    await delivery.put(targets, { ...event, ...ours }, { ...anEvent(), type: 'Other', ...ours });
    await delivery.run(delivery.openDeliverer(targets));
    const bodies = delivery.server.received.map(({ body }) => JSON.parse(body));
    expect(bodies.map(({ data }) => data).find(({ id }) => id === event['id'])).toEqual(event);
    expect(JSON.stringify(bodies)).not.toContain('forged');
    const [row] = await delivery.database.query<{ payload: string }>('SELECT payload FROM events LIMIT 1');
    expect(JSON.parse(row!.payload)).toMatchObject(ours);
  });

  test('of a late repeat has the same id and body, and a flag', async () => {
    const targets = [delivery.openSink()];
    const event = anEvent();
    await delivery.put(targets, event);
    await delivery.run(delivery.openDeliverer(targets));
    delivery.clock += 300_001;
    await delivery.put(targets, event);
    await delivery.run(delivery.openDeliverer(targets));
    const [first, second] = delivery.server.received;
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    expect(second!.body).toBe(first!.body);
    expect(second!.headers['webhook-repeat']).toBe('true');
  });

  test('does not happen for events that no target wants', async () => {
    const targets = [delivery.openSink({ types: ['PositionProfilePosted'], hirers: ['h1'] })];
    const type = 'PositionProfilePosted';
    await delivery.put(
      targets,
      anEvent({ type, hirerId: 'h1' }),
      anEvent({ type, hirerId: 'h2' }),
      anEvent({ type, hirerId: undefined }),
      anEvent({ hirerId: 'h1' }),
    );
    await delivery.run(delivery.openDeliverer(targets));
    expect((await delivery.states()).sort()).toEqual(['delivered', 'stored', 'stored', 'stored']);
    expect(delivery.server.received).toHaveLength(1);
  });

  test('is shared by replicas, each of which delivers different events', async () => {
    const targets = [delivery.openSink()];
    await delivery.put(targets, ...Array.from({ length: 60 }, () => anEvent()));
    const replicas = [delivery.openDeliverer(targets), delivery.openDeliverer(targets, delivery.replica())];
    for (const replica of replicas) await replica.onApplicationBootstrap();
    await until(async () => (await delivery.states()).every((state) => state === 'delivered'));
    await Promise.all(replicas.map((replica) => replica.onApplicationShutdown()));
    const ids = delivery.server.received.map(({ headers }) => headers['webhook-id']);
    expect([ids.length, new Set(ids).size]).toEqual([60, 60]);
  });
});
