import type { Database } from '../../src/storage/database.js';
import { insertEvents } from '../../src/webhooks/store/insert-events.js';
import { DeliveryQueue } from '../../src/webhooks/deliver/delivery-queue.js';
import { EventInbox } from '../../src/webhooks/store/event-inbox.js';
import { EventNotices } from '../../src/webhooks/store/event-notices.js';
import { EventRecords } from '../../src/webhooks/store/event-records.js';
import { SignedEvents } from '../../src/webhooks/store/signed-events.js';
import { StreamedEvents } from '../../src/webhooks/stream/streamed-events.js';
import type { EventTrust, ReceivedEvent } from '../../src/webhooks/store/webhook-event.js';
import { TEST_DATABASES, type TestDatabase } from '../support/test-database.js';

const LEASE_MS = 30_000;
const DAY_MS = 86_400_000;
const POLICY = { isWanted: () => true, redeliverAfterMs: 300_000 };

function received(trust: EventTrust, content: string, members: Partial<ReceivedEvent> = {}): ReceivedEvent {
  return {
    id: 'x',
    trust,
    type: 'PositionProfilePosted',
    hirerId: 'hirer-1',
    createDateTime: null,
    payload: JSON.stringify({ id: 'x', content }),
    subscriptionId: trust === 'reconciled' ? null : `${trust}-subscription`,
    requestId: 'request-1',
    ...members,
  };
}

describe.each(TEST_DATABASES)('trust in events, in $name', ({ open }) => {
  let test_: TestDatabase;
  let database: Database;
  let clock: number;
  let inbox: EventInbox;
  const now = (): number => clock;

  beforeAll(async () => {
    test_ = await open();
    database = test_.database;
  });
  afterAll(() => test_.drop());
  beforeEach(async () => {
    clock = 1_000 * DAY_MS;
    await database.query('DELETE FROM events');
    inbox = openInbox(database);
  });

  const openInbox = (over: Database): EventInbox => new EventInbox(over, POLICY, new EventNotices(over), now);
  const queue = (): DeliveryQueue => new DeliveryQueue(database, LEASE_MS, now);
  const records = (): EventRecords => new EventRecords(database, now);
  const list = async () => (await records().list({})).items;
  const stored = async () =>
    (await list()).map(({ id, trust, payload }) => [id, trust, (payload as { content: string }).content]);
  const reconcile = async (event: ReceivedEvent) =>
    (await database.transaction((tx) => insertEvents(tx, [event], POLICY, clock))).insertions;
  const deliverAll = async () => {
    const taken = await queue().take(10);
    for (const event of taken) expect(await queue().finish(event, 'delivered')).toBe(true);
    return taken;
  };

  test('a signed event vouches for its hirer, and an id that no event can have for none', async () => {
    const owners = new SignedEvents(database);
    await inbox.put([received('signed', 'true')]);
    expect(await owners.hirerOf('x')).toBe('hirer-1');
    for (const id of ['unknown', 'x\0', '\ud800']) expect(await owners.hirerOf(id)).toBeUndefined();
  });

  test.each<[string, boolean]>([
    ['waits', false],
    ['was delivered', true],
  ])('a signed event replaces a forged one that %s, and is delivered as new', async (_name, isDelivered) => {
    await inbox.put([received('unsigned', 'forged')]);
    if (isDelivered) expect(await deliverAll()).toMatchObject([{ trust: 'unsigned' }]);
    expect(await inbox.put([received('signed', 'true')])).toEqual(['replaced']);
    expect(await stored()).toEqual([['x', 'signed', 'true']]);
    expect(await deliverAll()).toMatchObject([{ id: 'x', trust: 'signed', isRepeat: false, attempts: 1 }]);
    expect((await list())[0]).toMatchObject({ state: 'delivered', repeats: 0 });
    expect(await deliverAll()).toEqual([]);
  });

  test('a signed event that replaces one under delivery is delivered, and the result of the old delivery is ignored', async () => {
    await inbox.put([received('unsigned', 'forged')]);
    const [forged] = await queue().take(1);
    await inbox.put([received('signed', 'true')]);
    expect(await queue().finish(forged!, 'delivered')).toBe(false);
    expect(await queue().bury(forged!, { reason: 'late', done: [], refused: [] })).toBe(false);
    expect((await deliverAll()).map(({ payload }) => payload)).toEqual([received('signed', 'true').payload]);
  });

  test('a receiver that deduplicates by webhook-id does not mistake the signed event for a repeat of the forged one', async () => {
    await inbox.put([received('unsigned', 'forged')]);
    const [forged] = await deliverAll();
    await inbox.put([received('signed', 'true')]);
    const [signed] = await deliverAll();
    expect(signed!.id).toBe('x');
    expect(forged!.id).toMatch(/^unsigned:[\da-f]{64}$/);
  });

  test.each<EventTrust>(['signed', 'reconciled'])(
    'an unsigned event changes nothing of one that is %s, purged or not',
    async (trust) => {
      if (trust === 'signed') await inbox.put([received(trust, 'true')]);
      else await reconcile(received(trust, 'true'));
      await deliverAll();
      clock += 100 * DAY_MS;
      const before = await list();
      expect(await inbox.put([received('unsigned', 'forged')])).toEqual(['ignored']);
      expect(await list()).toEqual(before);
      await records().purge(clock);
      await inbox.put([received('unsigned', 'forged')]);
      expect((await list()).map(({ payload }) => payload)).toEqual([null]);
      expect(await queue().take(1)).toEqual([]);
    },
  );

  test('an event found by reconciliation replaces an unsigned one; a signed copy then takes its place without news', async () => {
    await inbox.put([received('unsigned', 'forged')]);
    expect(await reconcile(received('reconciled', 'true'))).toEqual(['replaced']);
    expect(await inbox.put([received('signed', 'true')])).toEqual(['repeated']);
    expect(await stored()).toEqual([['x', 'signed', 'true']]);
    expect((await deliverAll()).map(({ isRepeat }) => isRepeat)).toEqual([false]);
  });

  test('unsigned subscriptions are independent: each has its own event under an id', async () => {
    const other = { subscriptionId: 'another' };
    expect(await inbox.put([received('unsigned', 'one'), received('unsigned', 'two', other)])).toEqual([
      'stored',
      'stored',
    ]);
    expect(await inbox.put([received('unsigned', 'late'), received('unsigned', 'late', other)])).toEqual([
      'repeated',
      'repeated',
    ]);
    expect((await stored()).sort()).toEqual([
      ['x', 'unsigned', 'one'],
      ['x', 'unsigned', 'two'],
    ]);
    expect((await deliverAll()).map(({ id }) => id)).toHaveLength(2);
    expect((await records().redeliver('x')).kind).toBe('queued');
    expect(new Set((await deliverAll()).map(({ id }) => id)).size).toBe(2);
    expect(await inbox.put([received('signed', 'true')])).toEqual(['replaced']);
    expect(await stored()).toEqual([['x', 'signed', 'true']]);
  });

  test('a stream whose last event was an unsigned one continues from there once it is replaced', async () => {
    const streamed = new StreamedEvents(database);
    await inbox.put([received('unsigned', 'forged')]);
    const [last] = (await streamed.after(0, ['hirer-1'])).events;
    await inbox.put([received('signed', 'between', { id: 'y' }), received('signed', 'true')]);
    const place = await streamed.placeAfter(last!.id, ['hirer-1']);
    const { events } = await streamed.after(place, ['hirer-1']);
    expect(events.map(({ id }) => id)).toEqual(['y', 'x']);
  });

  test('in one request or one commit the order of signed and unsigned does not matter', async () => {
    const [forged, signed] = [received('unsigned', 'forged'), received('signed', 'true')];
    expect(await inbox.put([forged, signed, forged])).toEqual(['ignored', 'stored', 'ignored']);
    expect(await stored()).toEqual([['x', 'signed', 'true']]);
  });

  test('however signed and unsigned copies race across replicas, each id ends as its signed event, due once', async () => {
    const inboxes = [inbox, openInbox(test_.replica())];
    const ids = Array.from({ length: 60 }, (_, index) => `race-${index}`);
    const put = (trust: EventTrust, id: string, which: number): Promise<unknown> =>
      inboxes[which % 2]!.put([received(trust, trust, { id })]);
    await Promise.all(
      ids.flatMap((id, index) => [
        put('unsigned', id, index),
        put('signed', id, index + 1),
        put('unsigned', id, index + 1),
      ]),
    );
    expect((await stored()).sort()).toEqual(ids.map((id) => [id, 'signed', 'signed']).sort());
    const taken = await queue().take(1_000);
    expect(taken.map(({ id }) => id).sort()).toEqual([...ids].sort());
  });

  test('events stored before trust was recorded count as signed, or as reconciled when no webhook delivered them', async () => {
    const columns = 'id, type, received_at, last_received_at, received, payload, state';
    for (const received_ of [0, 1]) {
      await database.query(
        `INSERT INTO events (${columns}) VALUES ($1, 'PositionProfilePosted', 1, 1, $2, '{}', 'delivered')`,
        [`old-${received_}`, received_],
      );
    }
    expect(await inbox.put([received('unsigned', 'forged', { id: 'old-1' })])).toEqual(['ignored']);
  });
});
