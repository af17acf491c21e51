import { insertEvents } from '../../src/webhooks/store/insert/insert-events.js';
import { EventRetention } from '../../src/webhooks/store/event-retention.js';
import { SignedEvents } from '../../src/webhooks/store/signed-events.js';
import { StreamedEvents } from '../../src/webhooks/stream/streamed-events.js';
import type { EventTrust, ReceivedEvent } from '../../src/webhooks/store/webhook-event.js';
import { TEST_DATABASES } from '../support/test-database.js';
import { DAY_MS, received, useEventStore, WINDOW_MS } from './event-store-setup.js';

const POLICY = { isWanted: () => true, redeliverAfterMs: WINDOW_MS };

/** The event `x` in a copy of some trust. */
function copy(trust: EventTrust, content: string, members: Partial<ReceivedEvent> = {}): ReceivedEvent {
  const subscriptionId = trust === 'reconciled' ? null : `${trust}-subscription`;
  return received('x', { trust, payload: JSON.stringify({ id: 'x', content }), subscriptionId, ...members });
}

describe.each(TEST_DATABASES)('trust in events, in $name', ({ open }) => {
  const store = useEventStore(open);
  const stored = async () =>
    (await store.list()).map(({ id, trust, payload }) => [
      id,
      trust,
      (payload as { content: string }).content,
    ]);
  const reconcile = async (event: ReceivedEvent) =>
    (await store.database.transaction((tx) => insertEvents(tx, [event], POLICY, store.clock))).insertions;

  test('a signed event vouches for its hirer, and an id that no event can have for none', async () => {
    const owners = new SignedEvents(store.database);
    await store.inbox.put([copy('signed', 'true')]);
    expect(await owners.hirerOf('x')).toBe('hirer-1');
    for (const id of ['unknown', 'x\0', '\ud800']) expect(await owners.hirerOf(id)).toBeUndefined();
  });

  test.each<[string, boolean]>([
    ['waits', false],
    ['was delivered', true],
  ])('a signed event replaces a forged one that %s, and is delivered as new', async (_name, isDelivered) => {
    await store.inbox.put([copy('unsigned', 'forged')]);
    if (isDelivered) expect(await store.deliver()).toMatchObject([{ trust: 'unsigned' }]);
    expect(await store.inbox.put([copy('signed', 'true')])).toEqual(['replaced']);
    expect(await stored()).toEqual([['x', 'signed', 'true']]);
    expect(await store.deliver()).toMatchObject([{ id: 'x', trust: 'signed', isRepeat: false, attempts: 1 }]);
    expect((await store.list())[0]).toMatchObject({ state: 'delivered', repeats: 0 });
    expect(await store.deliver()).toEqual([]);
  });

  test('a signed event that replaces one under delivery is delivered, and the result of the old delivery is ignored', async () => {
    await store.inbox.put([copy('unsigned', 'forged')]);
    const [forged] = await store.queue().take(1);
    await store.inbox.put([copy('signed', 'true')]);
    expect(await store.queue().finish(forged!, 'delivered')).toBe(false);
    expect(await store.queue().bury(forged!, { reason: 'late', done: [], refused: [] })).toBe(false);
    expect((await store.deliver()).map(({ payload }) => payload)).toEqual([copy('signed', 'true').payload]);
  });

  test('a receiver that deduplicates by webhook-id does not mistake the signed event for a repeat of the forged one', async () => {
    await store.inbox.put([copy('unsigned', 'forged')]);
    const [forged] = await store.deliver();
    await store.inbox.put([copy('signed', 'true')]);
    const [signed] = await store.deliver();
    expect(signed!.id).toBe('x');
    expect(forged!.id).toMatch(/^unsigned:[\da-f]{64}$/);
  });

  test.each<EventTrust>(['signed', 'reconciled'])(
    'an unsigned event changes nothing of one that is %s, purged or not',
    async (trust) => {
      if (trust === 'signed') await store.inbox.put([copy(trust, 'true')]);
      else await reconcile(copy(trust, 'true'));
      await store.deliver();
      store.clock += 100 * DAY_MS;
      const before = await store.list();
      expect(await store.inbox.put([copy('unsigned', 'forged')])).toEqual(['ignored']);
      expect(await store.list()).toEqual(before);
      await new EventRetention(store.database).purgePayloads(store.clock);
      await store.inbox.put([copy('unsigned', 'forged')]);
      expect((await store.list()).map(({ payload }) => payload)).toEqual([null]);
      expect(await store.queue().take(1)).toEqual([]);
    },
  );

  test('an event found by reconciliation replaces an unsigned one; a signed copy then takes its place without news', async () => {
    await store.inbox.put([copy('unsigned', 'forged')]);
    expect(await reconcile(copy('reconciled', 'true'))).toEqual(['replaced']);
    expect(await store.inbox.put([copy('signed', 'true')])).toEqual(['repeated']);
    expect(await stored()).toEqual([['x', 'signed', 'true']]);
    expect((await store.deliver()).map(({ isRepeat }) => isRepeat)).toEqual([false]);
  });

  test('unsigned subscriptions are independent: each has its own event under an id', async () => {
    const other = { subscriptionId: 'another' };
    expect(await store.inbox.put([copy('unsigned', 'one'), copy('unsigned', 'two', other)])).toEqual([
      'stored',
      'stored',
    ]);
    expect(await store.inbox.put([copy('unsigned', 'late'), copy('unsigned', 'late', other)])).toEqual([
      'repeated',
      'repeated',
    ]);
    expect((await stored()).sort()).toEqual([
      ['x', 'unsigned', 'one'],
      ['x', 'unsigned', 'two'],
    ]);
    expect((await store.deliver()).map(({ id }) => id)).toHaveLength(2);
    expect((await store.records().redeliver('x')).kind).toBe('queued');
    expect(new Set((await store.deliver()).map(({ id }) => id)).size).toBe(2);
    expect(await store.inbox.put([copy('signed', 'true')])).toEqual(['replaced']);
    expect(await stored()).toEqual([['x', 'signed', 'true']]);
  });

  test('a stream whose last event was an unsigned one continues from there once it is replaced', async () => {
    const streamed = new StreamedEvents(store.database);
    await store.inbox.put([copy('unsigned', 'forged')]);
    const [last] = (await streamed.after(0, ['hirer-1'])).events;
    await store.inbox.put([copy('signed', 'between', { id: 'y' }), copy('signed', 'true')]);
    const place = await streamed.placeAfter(last!.id, ['hirer-1']);
    const { events } = await streamed.after(place, ['hirer-1']);
    expect(events.map(({ id }) => id)).toEqual(['y', 'x']);
  });

  test('in one request or one commit the order of signed and unsigned does not matter', async () => {
    const [forged, signed] = [copy('unsigned', 'forged'), copy('signed', 'true')];
    expect(await store.inbox.put([forged, signed, forged])).toEqual(['ignored', 'stored', 'ignored']);
    expect(await stored()).toEqual([['x', 'signed', 'true']]);
  });

  test('however signed and unsigned copies race across replicas, each id ends as its signed event, due once', async () => {
    const inboxes = [store.inbox, store.openInbox(store.replica())];
    const ids = Array.from({ length: 60 }, (_, index) => `race-${index}`);
    const put = (trust: EventTrust, id: string, which: number): Promise<unknown> =>
      inboxes[which % 2]!.put([copy(trust, trust, { id })]);
    await Promise.all(
      ids.flatMap((id, index) => [
        put('unsigned', id, index),
        put('signed', id, index + 1),
        put('unsigned', id, index + 1),
      ]),
    );
    expect((await stored()).sort()).toEqual(ids.map((id) => [id, 'signed', 'signed']).sort());
    const taken = await store.queue().take(1_000);
    expect(taken.map(({ id }) => id).sort()).toEqual([...ids].sort());
  });

  test('events stored before trust was recorded count as signed, or as reconciled when no webhook delivered them', async () => {
    const columns = 'id, type, received_at, last_received_at, received, payload, state';
    for (const received_ of [0, 1]) {
      await store.database.query(
        `INSERT INTO events (${columns}) VALUES ($1, 'PositionProfilePosted', 1, 1, $2, '{}', 'delivered')`,
        [`old-${received_}`, received_],
      );
    }
    expect(await store.inbox.put([copy('unsigned', 'forged', { id: 'old-1' })])).toEqual(['ignored']);
  });
});
