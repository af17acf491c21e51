import type { Database } from '../../src/storage/database.js';
import { newerStoreFault, readMarks, THIS_VERSION } from '../../src/storage/migrate.js';
import { DeliveryQueue } from '../../src/webhooks/deliver/delivery-queue.js';
import { queueOf } from '../../src/webhooks/deliver/queue-table.js';
import { SinkFeed } from '../../src/webhooks/deliver/sink-feed.js';
import { EventInbox } from '../../src/webhooks/store/insert/event-inbox.js';
import { EventNotices } from '../../src/webhooks/store/event-notices.js';
import { EventRecords } from '../../src/webhooks/store/records/event-records.js';
import { EventRetention } from '../../src/webhooks/store/event-retention.js';
import { EventSinks } from '../../src/webhooks/store/event-sinks.js';
import { insertEvents } from '../../src/webhooks/store/insert/insert-events.js';
import { RelationshipChanges } from '../../src/webhooks/store/relationship-changes.js';
import { StreamedEvents } from '../../src/webhooks/stream/streamed-events.js';
import type { EventTrust, ReceivedEvent } from '../../src/webhooks/store/webhook-event.js';
import { TEST_DATABASES, type TestDatabase } from '../support/test-database.js';

const DAY_MS = 86_400_000;
const POLICY = { isWanted: () => true, redeliverAfterMs: 300_000 };
const SINK = { name: 'crm', types: [], hirers: [] };
const SINKS = new EventSinks([SINK], true);

function received(trust: EventTrust, members: Partial<ReceivedEvent> = {}): ReceivedEvent {
  const { id = 'x', hirerId = 'hirer-1' } = members;
  return {
    id,
    trust,
    type: 'HirerRelationshipChanged',
    hirerId,
    createDateTime: null,
    payload: JSON.stringify({ id, hirerId }),
    subscriptionId: trust === 'reconciled' ? null : `${trust}-subscription`,
    requestId: null,
    ...members,
  };
}

describe.each(TEST_DATABASES)('events whose records were deleted, in $name', ({ open }) => {
  let test_: TestDatabase;
  let database: Database;
  let clock: number;
  let feed: SinkFeed;
  const now = (): number => clock;

  beforeEach(async () => {
    test_ = await open();
    database = test_.database;
    clock = 1_000 * DAY_MS;
    await database.query('UPDATE migrations SET applied_at = 0');
    feed = new SinkFeed(database, SINKS, { info: () => undefined, warn: () => undefined }, now);
    await feed.begin();
  });
  afterEach(() => test_.drop());

  const retention = (): EventRetention => new EventRetention(database, now, SINKS);
  const records = (): EventRecords => new EventRecords(database, now, SINKS);
  const put = async (...events: ReceivedEvent[]) => {
    const { insertions, news } = await database.transaction((tx) => insertEvents(tx, events, POLICY, clock));
    expect(news).toHaveLength(insertions.filter((one) => !['repeated', 'ignored'].includes(one)).length);
    return insertions;
  };
  const ids = async () => (await records().list({})).items.map(({ id }) => id);
  const countOf = async (table: string) =>
    (await database.query<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`))[0]!.n;

  async function deliverAll(): Promise<number> {
    await feed.run();
    let delivered = 0;
    for (const { name } of [{ name: 'default' }, SINK]) {
      const queue = new DeliveryQueue(database, 30_000, now, [], queueOf(name));
      for (const event of await queue.take(1_000)) {
        expect(await queue.finish(event, 'delivered')).toBe(true);
        delivered += 1;
      }
    }
    return delivered;
  }

  /** A year goes by, in which another event came; everything that is finished goes. */
  async function forgetAll(): Promise<number> {
    await deliverAll();
    clock += 400 * DAY_MS;
    await put(received('signed', { id: `later ${clock}` }));
    await deliverAll();
    await retention().purgePayloads(clock - 90 * DAY_MS);
    return retention().purgeRecords(clock - 365 * DAY_MS);
  }

  test.each<[EventTrust, readonly string[]]>([
    ['signed', ['repeated', 'repeated', 'ignored']],
    ['reconciled', ['repeated', 'repeated', 'ignored']],
    ['unsigned', ['stored', 'repeated', 'ignored']],
  ])('one that was %s is not new again, from whichever source it comes', async (trust, outcomes) => {
    await put(received(trust));
    expect(await forgetAll()).toBe(1);
    expect(await ids()).not.toContain('x');
    expect(await countOf('past_events')).toBe(1);
    const rows = await countOf('event_deliveries');
    if (trust === 'unsigned') expect(await put(received('unsigned'))).toEqual(['repeated']);
    const sources: EventTrust[] = ['signed', 'reconciled', 'unsigned'];
    const found = [];
    for (const source of sources) found.push(...(await put(received(source))));
    expect(found).toEqual(outcomes);
    expect(await deliverAll()).toBe(trust === 'unsigned' ? 2 : 0); // the true event is new, once
    expect(await countOf('event_deliveries')).toBe(rows + (trust === 'unsigned' ? 1 : 0));
  });

  test('neither a fuller copy nor one with another hirer makes it new, nor enters its hirer for review', async () => {
    await put(received('reconciled', { hirerId: null }));
    await forgetAll();
    await new RelationshipChanges(database).settle('hirer-1');
    expect(await put(received('signed'), received('signed', { hirerId: 'hirer-2' }))).toEqual([
      'repeated',
      'repeated',
    ]);
    expect((await new RelationshipChanges(database).list()).items).toEqual([]);
  });

  test.each([
    ['a', 'b'],
    ['b', 'a'],
  ])('unsigned subscriptions stay independent: %s is forgotten, %s is new', async (known, other) => {
    await put(received('unsigned', { subscriptionId: known }));
    await forgetAll();
    expect(await put(received('unsigned', { subscriptionId: known }))).toEqual(['repeated']);
    expect(await put(received('unsigned', { subscriptionId: other }))).toEqual(['stored']);
  });

  test('one that a signed event replaced goes with it, and neither comes again', async () => {
    await put(received('unsigned'), received('unsigned', { subscriptionId: 'other' }));
    await deliverAll();
    expect(await put(received('signed'))).toEqual(['replaced']);
    expect(await forgetAll()).toBe(3);
    expect(await put(received('unsigned'), received('signed'))).toEqual(['ignored', 'repeated']);
  });

  test('one that was completed late goes by its last receipt', async () => {
    await put(received('reconciled', { hirerId: null }));
    await deliverAll();
    clock += 100 * DAY_MS;
    expect(await put(received('signed'))).toEqual(['completed']);
    await deliverAll();
    clock += 300 * DAY_MS;
    await put(received('signed', { id: 'later' }));
    await retention().purgePayloads(clock);
    expect(await retention().purgeRecords(clock - 365 * DAY_MS)).toBe(0);
    expect(await retention().purgeRecords(clock - 200 * DAY_MS)).toBe(1);
    expect(await put(received('signed'))).toEqual(['repeated']);
  });

  test('nothing goes that waits for any sink, has its payload, or is the last of all', async () => {
    await put(
      received('signed', { id: 'waits' }),
      received('signed', { id: 'of the sink' }),
      received('signed'),
    );
    await deliverAll();
    await database.query("UPDATE events SET due_at = 0 WHERE id = 'waits'");
    await database.query("UPDATE event_deliveries SET due_at = 0 WHERE event_key = 'of the sink'");
    await database.query('UPDATE events SET payload = NULL');
    await put(received('signed', { id: 'whole' }), received('signed', { id: 'last' }));
    await database.query("UPDATE events SET payload = NULL, due_at = NULL WHERE id = 'last'");
    clock += 400 * DAY_MS;
    expect(await retention().purgeRecords(clock)).toBe(1);
    expect((await ids()).sort()).toEqual(['last', 'of the sink', 'waits', 'whole']);
  });

  test('numbers go on after all but the last are gone, so that every sink and stream gets what comes then', async () => {
    await put(received('reconciled', { hirerId: null }), received('signed', { id: 'y' }));
    const fuller = received('signed', { hirerId: null, payload: '{"more":1}' });
    await put(fuller, received('signed')); // completed twice: has the highest number, which no insert gave out
    await deliverAll();
    clock += 400 * DAY_MS;
    await retention().purgePayloads(clock);
    await retention().purgeRecords(clock);
    const place = await new StreamedEvents(database).placeAfter(undefined, ['hirer-1']);
    await put(received('signed', { id: 'new' }));
    expect(await deliverAll()).toBe(2);
    const { events } = await new StreamedEvents(database).after(place, ['hirer-1']);
    expect(events.map(({ id }) => id)).toEqual(['new']);
  });

  test('a stream whose last event is gone gets all that is kept of its hirers; another id is none of theirs', async () => {
    await put(received('signed'), received('signed', { id: 'foreign', hirerId: 'hirer-2' }));
    await forgetAll();
    await put(received('signed', { id: 'kept' }), received('signed', { id: 'theirs', hirerId: 'hirer-2' }));
    const streamed = new StreamedEvents(database);
    const after = async (id: string) => {
      const { events } = await streamed.after(await streamed.placeAfter(id, ['hirer-1']), ['hirer-1']);
      return events.map((event) => event.id);
    };
    expect(await after('x')).toEqual([`later ${clock}`, 'kept']);
    for (const id of ['never there', 'theirs']) expect(await after(id)).toEqual([]);
  });

  test('it is as unknown to operators as one that never came', async () => {
    await put(received('signed'));
    await forgetAll();
    expect(await records().find('x')).toBeUndefined();
    expect(await records().redeliver('x')).toEqual({ kind: 'unknown' });
  });

  test('however copies race with the deletion across replicas, no event is new twice', async () => {
    const known = Array.from({ length: 400 }, (_, index) => `race ${index}`);
    await put(...known.map((id) => received('signed', { id })));
    await deliverAll();
    clock += 400 * DAY_MS;
    await put(received('signed', { id: 'later' }));
    await retention().purgePayloads(clock - 1);
    const inboxes = [database, test_.replica()].map((at) => {
      return new EventInbox(at, { ...POLICY, redeliverAfterMs: undefined }, new EventNotices(at), now);
    });
    const puts = known.map((id, index) => inboxes[index % 2]!.put([received('signed', { id })]));
    const [, ...insertions] = await Promise.all([retention().purgeRecords(clock - 1), ...puts]);
    expect(new Set(insertions.flat())).toEqual(new Set(['repeated']));
    const gone = await countOf('past_events');
    expect(gone + (await countOf('events'))).toBe(401);
  });

  test('a version that asks for no digests can use the store until the first is needed, 30 days after the upgrade', async () => {
    const before = { ...THIS_VERSION, format: 1 };
    await put(received('signed'));
    await database.query('UPDATE migrations SET applied_at = $1', [clock + 370 * DAY_MS + 1]);
    expect(await forgetAll()).toBe(0);
    expect(newerStoreFault(await readMarks(database), before)).toBeUndefined();
    clock += 1;
    expect(await retention().purgeRecords(clock - 365 * DAY_MS)).toBe(1);
    expect(newerStoreFault(await readMarks(database), before)).toMatch(/store format 2 or above/);
    expect(newerStoreFault(await readMarks(database))).toBeUndefined();
  });
});
