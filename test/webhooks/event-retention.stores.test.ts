import type { EventRecords } from '../../src/webhooks/store/event-records.js';
import { EventRetention } from '../../src/webhooks/store/event-retention.js';
import { EventSinks } from '../../src/webhooks/store/event-sinks.js';
import { insertEvents } from '../../src/webhooks/store/insert-events.js';
import { StreamedEvents } from '../../src/webhooks/stream/streamed-events.js';
import type { EventTrust, ReceivedEvent } from '../../src/webhooks/webhook-event.js';
import { makeWait, takePayloads } from '../support/stored.js';
import { testDatabases } from '../support/test-database.js';
import { DAY_MS, received as event, signed, useEventStore } from './event-store-setup.js';

const SINKS = new EventSinks(['default', 'crm'].map((name) => ({ name, types: [], hirers: [] })));

function received(trust: EventTrust, members: Partial<ReceivedEvent> = {}): ReceivedEvent {
  const { id = 'x', hirerId = 'hirer-1' } = members;
  const payload = JSON.stringify({ id, hirerId });
  return event(id, { trust, type: 'HirerRelationshipChanged', hirerId, payload, ...members });
}

describe.each(testDatabases())('old events, in $name', ({ open }) => {
  const store = useEventStore(open);
  const retention = (): EventRetention => new EventRetention(store.database, SINKS);
  const records = (): EventRecords => store.records(SINKS);
  const put = async (...events: ReceivedEvent[]) => {
    const { insertions, news } = await store.database.transaction((tx) => insertEvents(tx, events, SINKS));
    expect(news).toHaveLength(insertions.filter((one) => one !== 'repeated').length);
    return insertions;
  };
  const ids = async () => (await records().list({})).items.map(({ id }) => id);

  async function deliverAll(): Promise<number> {
    let delivered = 0;
    for (const name of SINKS.names) delivered += (await store.settle({}, store.queue(name))).length;
    return delivered;
  }

  /** A year goes by, in which another event came; everything that is finished goes. */
  async function forgetAll(): Promise<number> {
    await deliverAll();
    store.clock += 400 * DAY_MS;
    await put(received('signed', { id: `later ${store.clock}` }));
    await deliverAll();
    await retention().purgePayloads(store.clock - 90 * DAY_MS);
    return retention().purgeRecords(store.clock - 365 * DAY_MS);
  }

  test('one that a webhook brings 180 days after it was created is a repeat, forgotten or not, and nothing else', async () => {
    const created = new Date(store.clock).toISOString();
    const body = received('signed', { createDateTime: created });
    store.clock += 180 * DAY_MS;
    expect(await put(body)).toEqual(['stored']);
    await forgetAll();
    expect(await records().find('x')).toBeUndefined();
    store.clock = Date.parse(created) + 180 * DAY_MS + 1;
    expect(await put(body, { ...body, id: 'y' })).toEqual(['repeated', 'repeated']);
    expect(await ids()).not.toContain('x');
    expect(await put({ ...body, trust: 'reconciled' })).toEqual(['stored']); // the upstream's own word
    expect(await put({ ...body, payload: '{"fuller":true}' })).toEqual(['repeated']);
  });

  test.each(['Event 12', '03/12/2001'])('none is lost because its time, %j, is no ISO 8601', async (time) => {
    const { createDateTime } = signed({ id: 'x', createDateTime: time });
    expect(await put(received('signed', { createDateTime }))).toEqual(['stored']);
  });

  test('none is lost because one clock, the database’s or our own, is half a year ahead', async () => {
    const body = received('signed', { createDateTime: new Date().toISOString() });
    store.clock = Date.now() + 181 * DAY_MS;
    expect(await put(body)).toEqual(['stored']);
    expect(await put({ ...body, payload: '{"fuller":true}' })).toEqual(['completed']);
    store.clock = Date.now();
    const ahead = Date.now() + 181 * DAY_MS;
    const insert = (events: ReceivedEvent[]) =>
      store.database.transaction((tx) => insertEvents(tx, events, SINKS, false, ahead));
    expect((await insert([{ ...body, id: 'y' }])).insertions).toEqual(['stored']);
    expect((await insert([{ ...body, id: 'y', payload: '{"more":1}' }])).insertions).toEqual(['completed']);
  });

  test('one that was completed late goes by its last receipt', async () => {
    await put(received('reconciled', { hirerId: null }));
    await deliverAll();
    store.clock += 100 * DAY_MS;
    expect(await put(received('signed'))).toEqual(['completed']);
    await deliverAll();
    store.clock += 300 * DAY_MS;
    await put(received('signed', { id: 'later' }));
    await retention().purgePayloads(store.clock);
    expect(await retention().purgeRecords(store.clock - 365 * DAY_MS)).toBe(0);
    expect(await retention().purgeRecords(store.clock - 200 * DAY_MS)).toBe(1);
  });

  test('nothing goes that waits for any sink, has its payload, or is the last of all', async () => {
    await put(
      received('signed', { id: 'waits' }),
      received('signed', { id: 'of the sink' }),
      received('signed'),
    );
    await deliverAll();
    await makeWait(store.database, 'waits');
    await makeWait(store.database, 'of the sink', 'crm');
    await takePayloads(store.database);
    await put(received('signed', { id: 'whole' }), received('signed', { id: 'last' }));
    await takePayloads(store.database, 'last', true);
    store.clock += 400 * DAY_MS;
    expect(await retention().purgeRecords(store.clock)).toBe(1);
    expect((await ids()).sort()).toEqual(['last', 'of the sink', 'waits', 'whole']);
  });

  test('numbers go on after all but the last are gone, so that every sink and stream gets what comes then', async () => {
    await put(received('reconciled', { hirerId: null }), received('signed', { id: 'y' }));
    const fuller = received('signed', { hirerId: null, payload: '{"more":1}' });
    await put(fuller);
    await put(received('signed')); // completed twice: has the highest number, which no insert gave out
    await deliverAll();
    store.clock += 400 * DAY_MS;
    await retention().purgePayloads(store.clock);
    await retention().purgeRecords(store.clock);
    const place = await new StreamedEvents(store.database).placeAfter(undefined, ['hirer-1']);
    await put(received('signed', { id: 'new' }));
    expect(await deliverAll()).toBe(2);
    const { events } = await new StreamedEvents(store.database).after(place, ['hirer-1']);
    expect(events.map(({ id }) => id)).toEqual(['new']);
  });
});
