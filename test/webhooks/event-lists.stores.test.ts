import type { Queryable, Row } from '../../src/storage/database.js';
import { readEventFilter } from '../../src/webhooks/events.ops.dto.js';
import type { EventFilter } from '../../src/webhooks/store/event-records.js';
import { EventRecords } from '../../src/webhooks/store/event-records.js';
import { takePayloads, allOfEvents } from '../support/stored.js';
import { testDatabases } from '../support/test-database.js';
import { DAY_MS, ONE_SINK, received, useEventStore } from './event-store-setup.js';
import { EventRedelivery } from '../../src/webhooks/store/redeliver-events.js';
import { useDelivery } from './delivery-setup.js';
import { anEvent, type SentEvent } from './send-webhook.js';

describe.each(testDatabases())('lists of events in $name', ({ open }) => {
  const store = useEventStore(open);

  const allPages = async (query: Record<string, string>): Promise<string[]> =>
    (await store.listAll(query)).map(({ id }) => id);

  test.each(['5-x', '5-\0', '-1', 'x'])('%j is the next of no list', (after) => {
    expect(() => readEventFilter({ after })).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  test.each<[string, Record<string, string>, (index: number) => boolean]>([
    ['all', {}, () => true],
    ['those of a hirer', { hirer: 'hirer-1' }, (index) => index % 2 === 1],
    ['those of a type', { type: 'Unwanted' }, (index) => index % 5 === 0],
    ['those in a state', { state: 'stored' }, (index) => index % 5 === 0],
    ['those of a hirer in a state', { hirer: 'hirer-1', state: 'stored' }, (index) => index % 10 === 5],
    ['those of an id', { id: 't251' }, (index) => index === 251],
  ])('%s are listed once each, the latest first, also those of a time', async (_name, filter, isListed) => {
    for (let index = 0; index < 500; index += 1) {
      const [hirerId, type] = [`hirer-${index % 2}`, index % 5 === 0 ? 'Unwanted' : 'PositionProfilePosted'];
      await store.inbox.put([received(`t${index}`, { hirerId, type })]);
      if (index % 2 === 1) store.clock += 1_000;
    }
    await store.inbox.put([received('t151', { payload: '{"more":1}' })]); // completed, which is another time
    await takePayloads(store.database, 't%3', true);
    const others = [...Array(500).keys()].filter((index) => index !== 151 && isListed(index)).reverse();
    const ids = (indexes: readonly number[]): string[] => indexes.map((index) => `t${index}`);
    expect(await allPages(filter)).toEqual(ids([...(isListed(151) ? [151] : []), ...others]));
    const start = 1_000 * DAY_MS;
    const [since, until] = [50, 200].map((second) => new Date(start + second * 1_000).toISOString());
    const ofTime = others.filter((index) => index >= 100 && index < 400);
    expect(await allPages({ ...filter, since: since!, until: until! })).toEqual(ids(ofTime));
  });

  test('a list without payloads does not read them', async () => {
    await store.inbox.put([received('a')]);
    const columns = async (filter: EventFilter): Promise<string[]> => {
      const read: Row[] = [];
      const query: Queryable['query'] = async (sql, parameters) => {
        const rows = await store.database.query(sql, parameters);
        read.push(...rows);
        return rows as never;
      };
      await new EventRecords(Object.assign(Object.create(store.database), { query }), ONE_SINK).list(filter);
      return Object.keys(read[0]!).sort();
    };
    const all = await columns({});
    expect(all).toContain('payload');
    expect(await columns({ withoutPayload: true })).toEqual(all.filter((name) => name !== 'payload'));
  });
});

describe.each(testDatabases())('the history of deliveries in $name', ({ open }) => {
  const delivery = useDelivery(open);

  async function historyOf({ id }: SentEvent) {
    return (await delivery.records().find(String(id)))!.history;
  }

  async function answerOnce(status: number, body: string, event: SentEvent): Promise<void> {
    delivery.server.answer = (_received, response) => {
      delivery.clock += 40;
      response.writeHead(status).end(body);
    };
    await delivery.deliver(event);
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
    const event = anEvent();
    delivery.server.answer = (_received, response) => response.writeHead(410).end();
    await delivery.put(event);
    for (let n = 0; n < 12; n += 1) {
      await delivery.run(delivery.openDeliverer());
      delivery.clock += 1_000;
      await new EventRedelivery(delivery.database, ONE_SINK).redeliver(String(event.id), false, undefined);
    }
    const history = await historyOf(event);
    expect(history).toHaveLength(10);
    expect(new Set(history.map(({ time }) => time)).size).toBe(10);
  });

  test('an attempt without an answer says why', async () => {
    const event = anEvent();
    delivery.server.answer = () => undefined;
    await delivery.deliver(event, delivery.openSink({ timeoutMs: 50 }));
    const [attempt] = await historyOf(event);
    expect(attempt).toMatchObject({ outcome: 'failed', reason: 'sink: timeout' });
    expect(attempt!.status).toBeUndefined();
  });

  test('holds nothing of an answer, and is in no list', async () => {
    const event = anEvent();
    await answerOnce(200, 'candidate 4711 created', event);
    expect(JSON.stringify(await delivery.list())).not.toContain('history');
    expect(await allOfEvents(delivery.database)).not.toContain('4711');
  });
});
