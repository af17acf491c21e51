import { EventRetention } from '../../src/webhooks/store/event-retention.js';
import { EventRedelivery } from '../../src/webhooks/store/redeliver-events.js';
import type { Insertion, ReceivedEvent } from '../../src/webhooks/webhook-event.js';
import { StreamedEvents } from '../../src/webhooks/stream/streamed-events.js';
import { testDatabases } from '../support/test-database.js';
import { DAY_MS, ONE_SINK, reconciled, signed, useEventStore, WINDOW_MS } from './event-store-setup.js';

/** A copy of the event `x`. */
function copy(hirerId: string | undefined, members: object = {}, readAs = signed): ReceivedEvent {
  return readAs({ id: 'x', type: 'PositionProfilePosted', hirerId, ...members });
}

describe.each(testDatabases())('an id that several hirers are named for, in $name', ({ open }) => {
  const store = useEventStore(open);
  const insert = (...events: ReceivedEvent[]): Promise<readonly Insertion[]> => store.insert(...events);
  /** What is stored for each hirer, without ids and types. */
  const contents = async () => {
    const { items } = await store.records().list({});
    return Object.fromEntries(
      items.map(({ hirerId, payload }) => {
        const { id, type, hirerId: named, ...content } = payload as Record<string, unknown>;
        expect([id, type, named ?? null]).toEqual(['x', 'PositionProfilePosted', hirerId]);
        return [String(hirerId), content];
      }),
    );
  };
  const A = { ofA: 'a' };
  const B = { ofB: 'b' };

  const oneByOne = async (first: ReceivedEvent, second: ReceivedEvent, between = async () => {}) => {
    const stored = await insert(first);
    await between();
    return [...stored, ...(await insert(second))];
  };

  test.each<[string, (first: ReceivedEvent, second: ReceivedEvent) => Promise<readonly Insertion[]>]>([
    ['in one webhook', insert],
    ['one after the other', (first, second) => oneByOne(first, second)],
    [
      'after the first was delivered',
      (first, second) => oneByOne(first, second, async () => void (await store.settle())),
    ],
  ])('is two events that share nothing, %s', async (_when, send) => {
    for (const [one, other] of [
      [signed, signed],
      [signed, reconciled],
      [reconciled, signed],
    ] as const) {
      await store.reset();
      const insertions = await send(copy('hirer-a', A, one), copy('hirer-b', B, other));
      expect(insertions).toEqual(['stored', 'conflict']);
      expect(await contents()).toEqual({ 'hirer-a': A, 'hirer-b': B });
    }
  });

  test('stays two events when the payload of the first was deleted, and only its own copy restores it', async () => {
    await insert(copy('hirer-a', A));
    await store.settle();
    store.clock += 100 * DAY_MS;
    await new EventRetention(store.database, ONE_SINK).purgePayloads(store.clock);
    expect(await insert(copy('hirer-b', B), copy(undefined, { whose: 1 }))).toEqual(['conflict', 'repeated']);
    const { items } = await store.records().list({ hirer: 'hirer-a' });
    expect(items).toMatchObject([{ id: 'x', payload: null }]);
    await insert(copy('hirer-a', A));
    expect(await contents()).toEqual({ 'hirer-a': A, 'hirer-b': B });
  });

  test('is delivered and streamed to each hirer as its own, the second under an id that stays the same', async () => {
    await insert(copy('hirer-a', A), copy('hirer-b', B));
    const [first, second] = await store.settle();
    expect([first!.id, first!.hirerId, second!.hirerId]).toEqual(['x', 'hirer-a', 'hirer-b']);
    expect(second!.id).toMatch(/^conflict:[\da-f]{64}$/);
    expect(second!.reason).toBe('new');
    const { events } = await new StreamedEvents(store.database).after(0, ['hirer-b']);
    expect(events.map(({ id }) => id)).toEqual([second!.id]);
    expect(events[0]!.data).not.toContain('ofA');
    await new EventRedelivery(store.database, ONE_SINK).redeliver(second!.id, false, undefined);
    expect((await store.settle()).map(({ id, hirerId }) => [id, hirerId])).toEqual([[second!.id, 'hirer-b']]);
    expect(await insert(copy('hirer-b', B))).toEqual(['repeated']);
    store.clock += WINDOW_MS + 1;
    expect(await insert(copy('hirer-b', B))).toEqual(['redelivered']);
    expect((await store.settle()).map(({ id }) => id)).toEqual([second!.id]);
  });

  test('is completed for the hirer that a further copy names, and for no other', async () => {
    await insert(copy('hirer-a', A), copy('hirer-b', B), copy('hirer-c'));
    expect(
      await insert(copy('hirer-b', { more: 2 }), copy('hirer-a', { more: 1 }), copy('hirer-c', { more: 3 })),
    ).toEqual(['completed', 'completed', 'completed']);
    expect(await contents()).toEqual({
      'hirer-a': { ...A, more: 1 },
      'hirer-b': { ...B, more: 2 },
      'hirer-c': { more: 3 },
    });
  });

  test('belongs to the first named hirer, even if a copy without a hirer came before; once two hirers are named, a copy without one adds nothing', async () => {
    expect(
      await insert(
        copy(undefined, { thin: 1 }),
        copy('hirer-a', A),
        copy('hirer-b', B),
        copy(undefined, { whose: 1 }),
      ),
    ).toEqual(['stored', 'completed', 'conflict', 'repeated']);
    expect(await insert(copy(undefined, { whose: 2 }), copy(undefined, { whose: 3 }, reconciled))).toEqual([
      'repeated',
      'repeated',
    ]);
    expect(await contents()).toEqual({ 'hirer-a': { thin: 1, ...A }, 'hirer-b': B });
  });

  test('cannot be chosen by a sender: an id in the form of derived ids is ignored', async () => {
    await insert(copy('hirer-a'), copy('hirer-b', B));
    const derived = (await store.records().list({})).items.find(({ hirerId }) => hirerId === 'hirer-b')!.id;
    await insert(copy('hirer-c', { id: derived, ofC: 'c' }), copy(undefined, { id: derived, ofC: 'c' }));
    const { items } = await store.records().list({});
    expect(items).toHaveLength(4);
    expect(items.find(({ id }) => id === derived)!.payload).toMatchObject({ hirerId: 'hirer-b', ...B });
  });

  test('is one event for each, however its copies race across replicas', async () => {
    const inboxes = [store.inbox, store.openInbox(store.replica())];
    const puts = Array.from({ length: 120 }, (_, index) =>
      inboxes[index % 2]!.put([copy(`hirer-${index % 3}`, { [`of${index % 3}`]: index % 6 })]),
    );
    const insertions = (await Promise.all(puts)).flat();
    expect(insertions.filter((one) => one === 'stored')).toHaveLength(1);
    expect(insertions.filter((one) => one === 'conflict')).toHaveLength(2);
    const stored = await contents();
    for (const index of [0, 1, 2]) expect(Object.keys(stored[`hirer-${index}`]!)).toEqual([`of${index}`]);
  });

  test('is one event for each of them, however many one call names', async () => {
    const hirers = Array.from({ length: 30 }, (_, index) => `hirer-${index}`);
    const [first, ...others] = await insert(...hirers.map((hirer) => copy(hirer, { of: hirer })));
    expect([first, new Set(others)]).toEqual(['stored', new Set(['conflict'])]);
    const more = hirers.map((hirer) => copy(hirer, { more: hirer }));
    expect(new Set(await insert(...more))).toEqual(new Set(['completed']));
    expect(await contents()).toEqual(
      Object.fromEntries(hirers.map((hirer) => [hirer, { of: hirer, more: hirer }])),
    );
  });
});
