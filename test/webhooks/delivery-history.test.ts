import { allOfEvents } from '../support/stored.js';
import { TEST_DATABASES } from '../support/test-database.js';
import { EventRecords } from '../../src/webhooks/store/records/event-records.js';
import { EventRetention } from '../../src/webhooks/store/event-retention.js';
import { EventRedelivery } from '../../src/webhooks/store/redeliver-events.js';
import { useDelivery } from './delivery-setup.js';
import { ONE_SINK } from './event-store-setup.js';
import { anEvent, type SentEvent } from './send-webhook.js';

describe.each(TEST_DATABASES)('the history of deliveries in $name', ({ open }) => {
  const delivery = useDelivery(open);
  const records = () => new EventRecords(delivery.database, ONE_SINK);

  async function historyOf({ id }: SentEvent) {
    return (await records().find(String(id)))!.history;
  }

  async function answerOnce(status: number, body: string, event: SentEvent): Promise<void> {
    const targets = [delivery.openSink()];
    delivery.server.answer = (_received, response) => {
      delivery.clock += 40;
      response.writeHead(status).end(body);
    };
    await delivery.put(targets, event);
    await delivery.run(delivery.openDeliverer(targets));
  }

  test('holds when each attempt began, how long it took, and its status, the latest first', async () => {
    const event = anEvent();
    const began = delivery.clock;
    await answerOnce(500, 'no space left', event);
    delivery.clock += 3_600_000;
    const again = delivery.clock;
    await answerOnce(200, '', event);
    expect(await historyOf(event)).toEqual([
      expect.objectContaining({ time: new Date(again).toISOString(), outcome: 'delivered', status: 200 }),
      {
        sink: 'default',
        time: new Date(began).toISOString(),
        ms: 40,
        outcome: 'failed',
        status: 500,
        reason: 'sink: status 500',
      },
    ]);
  });

  test('holds ten attempts, over redeliveries too', async () => {
    const targets = [delivery.openSink()];
    const event = anEvent();
    delivery.server.answer = (_received, response) => response.writeHead(410).end();
    await delivery.put(targets, event);
    for (let n = 0; n < 12; n += 1) {
      await delivery.run(delivery.openDeliverer(targets));
      delivery.clock += 1_000;
      await new EventRedelivery(delivery.database, ONE_SINK).redeliver(String(event.id), false, undefined);
    }
    const history = await historyOf(event);
    expect(history).toHaveLength(10);
    expect(new Set(history.map(({ time }) => time)).size).toBe(10);
  });

  test('an attempt without an answer says why', async () => {
    const event = anEvent();
    const targets = [delivery.openSink({ timeoutMs: 50 })];
    delivery.server.answer = () => undefined;
    await delivery.put(targets, event);
    await delivery.run(delivery.openDeliverer(targets));
    const [attempt] = await historyOf(event);
    expect(attempt).toMatchObject({ outcome: 'failed', reason: 'sink: timeout' });
    expect(attempt).not.toHaveProperty('status');
  });

  test('holds nothing of an answer, is deleted with the payload, and is in no list', async () => {
    const event = anEvent();
    await answerOnce(200, 'candidate 4711 created', event);
    expect(JSON.stringify(await records().list({}))).not.toContain('history');
    expect(await allOfEvents(delivery.database)).not.toContain('4711');
    delivery.clock += 86_400_000;
    await new EventRetention(delivery.database, ONE_SINK).purgePayloads(delivery.clock);
    expect(await historyOf(event)).toEqual([]);
  });
});
