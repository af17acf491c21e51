import { EventNotices, type HirersConcerned } from '../../src/webhooks/store/event-notices.js';
import type { EventRecord } from '../../src/webhooks/store/event-records.js';
import { EventRetention } from '../../src/webhooks/store/event-retention.js';
import { DEFAULT_SINK, EventSinks } from '../../src/webhooks/store/event-sinks.js';
import type { Insertion, ReceivedEvent } from '../../src/webhooks/webhook-event.js';
import { StreamedEvents } from '../../src/webhooks/stream/streamed-events.js';
import { storedEvents } from '../support/stored.js';
import { testDatabases } from '../support/test-database.js';
import { until } from '../support/until.js';
import { DAY_MS, ONE_SINK, reconciled, signed, useEventStore } from './event-store-setup.js';

const THIN = { id: 'x', type: 'PositionProfilePosted', createDateTime: '2026-01-02T03:04:05.678Z' };
const FULL = { ...THIN, hirerId: 'hirer-1', positionProfileId: 'position-1' };

describe.each(testDatabases())('a fuller copy of an event, in $name', ({ open }) => {
  const store = useEventStore(open);
  const insert = (...events: ReceivedEvent[]): Promise<readonly Insertion[]> => store.insert(...events);
  const only = async (): Promise<EventRecord> => {
    const items = await store.list();
    expect(items).toHaveLength(1);
    return items[0]!;
  };
  const deliver = async () =>
    (await store.settle()).map(({ payload, reason, attempts }) => ({
      ...JSON.parse(payload!),
      reason,
      attempts,
    }));

  test.each<[string, ReceivedEvent, ReceivedEvent]>([
    ['signed after reconciliation', reconciled(THIN), signed(FULL)],
    ['found by reconciliation after a signed webhook', signed(THIN), reconciled(FULL)],
    ['signed after a signed webhook', signed(THIN), signed(FULL)],
    ['found by a later reconciliation', reconciled(THIN), reconciled(FULL)],
  ])('%s completes the thin one, once', async (_name, thin, full) => {
    expect(await insert(thin)).toEqual(['stored']);
    expect(await insert(full)).toEqual(['completed']);
    const trust = [thin, full].some((copy) => copy.trust === 'signed') ? 'signed' : 'reconciled';
    expect(await only()).toMatchObject({ hirerId: 'hirer-1', payload: FULL, trust, state: 'pending' });
    expect(await insert(full, thin, full)).toEqual(['repeated', 'repeated', 'repeated']);
    expect(await only()).toMatchObject({ hirerId: 'hirer-1', payload: FULL });
    expect(await deliver()).toMatchObject([{ ...FULL, reason: 'new', attempts: 1 }]);
    expect(await deliver()).toEqual([]);
  });

  test.each([
    ['was delivered', {}],
    ['is dead', { state: 'dead' }],
    ['is retried', { state: 'failed', pauseMs: DAY_MS }],
  ] as const)('of one that %s is delivered once, flagged as a repeat', async (_name, report) => {
    await insert(reconciled(THIN));
    await store.settle(report);
    await insert(signed(FULL));
    expect(await deliver()).toEqual([{ ...FULL, reason: 'repeat', attempts: 1 }]);
    expect(await deliver()).toEqual([]);
    expect(await only()).toMatchObject({ state: 'delivered', lastFailure: null, repeats: 0 });
  });

  test('that says the same as the stored one is not delivered again, but its signature counts', async () => {
    const written = { ...FULL, createDateTime: '2026-01-02T03:04:05.678000Z' };
    await insert(reconciled(written));
    await deliver();
    expect(await insert(signed(FULL))).toEqual(['repeated']);
    expect(await only()).toMatchObject({
      trust: 'signed',
      subscriptionId: 's',
      requestId: 'r',
      payload: FULL,
    });
    expect(await deliver()).toEqual([]);
  });

  test('that is signed takes the place, whole, of one that is not; one that is not changes nothing that was signed', async () => {
    await insert(reconciled({ ...FULL, positionProfileId: 'other', seen: 1 }));
    expect(await insert(signed(FULL))).toEqual(['completed']);
    expect((await only()).payload).toEqual(FULL);
    expect(await insert(reconciled({ ...FULL, positionProfileId: 'other' }))).toEqual(['repeated']);
    expect(await only()).toMatchObject({ hirerId: 'hirer-1', payload: FULL });
  });

  test('makes a sink want an event that it did not want without a hirer', async () => {
    store.sinks = new EventSinks([{ name: DEFAULT_SINK, types: [], hirers: ['hirer-1'] }]);
    await insert(reconciled(THIN));
    expect((await only()).state).toBe('stored');
    await insert(signed(FULL));
    expect(await deliver()).toMatchObject([{ ...FULL, reason: 'new' }]);
  });

  test('completes an event whose payload was deleted, if its hirer was not known', async () => {
    await insert(reconciled(THIN));
    await deliver();
    store.clock += 100 * DAY_MS;
    await new EventRetention(store.database, ONE_SINK).purgePayloads(store.clock);
    expect(await insert(signed(FULL))).toEqual(['completed']);
    expect(await only()).toMatchObject({ hirerId: 'hirer-1', payload: FULL });
  });

  test('keeps every number as it was sent', async () => {
    await insert(reconciled(THIN));
    await insert({ ...signed(FULL), payload: `{"id":"x","big":9007199254740993,"one":1.0}` });
    const [stored] = await storedEvents(store.database);
    expect(stored!.payload).toMatch(/"big":9007199254740993,"one":1\.0/);
  });

  test.each(['1767323045.0', '1e400', '{"toString":1}', '[[1.0]]'])(
    'whose time is not a string but %s completes it like any other, and stops no event beside it',
    async (time) => {
      const payload = `{"id":"x","createDateTime":${time}}`;
      await insert(reconciled(THIN));
      expect(await insert({ ...signed(THIN), payload }, signed({ id: 'y' }))).toEqual([
        'completed',
        'stored',
      ]);
      const stored = (await storedEvents(store.database)).find(({ id }) => id === 'x');
      expect(stored!.payload).toContain(`"createDateTime":${time}`);
    },
  );

  test('is announced to all replicas, with its hirer', async () => {
    const heard: HirersConcerned[] = [];
    let changes = 0;
    const replica = new EventNotices(store.replica());
    replica.listen((hirers) => heard.push(hirers));
    replica.listenToRelationships(() => (changes += 1));
    await until(async () => {
      new EventNotices(store.database).announce([{ type: 'Any', hirerId: 'probe' }]);
      return heard.length > 0;
    });
    const thin = { ...THIN, type: 'HirerRelationshipChanged', hirerId: 'hirer-1' };
    await store.inbox.put([signed(thin)]);
    await store.inbox.put([signed({ ...thin, hirerId: undefined, more: 'x' })]);
    const ofHirer = (): HirersConcerned[] => heard.filter((hirers) => hirers?.has('hirer-1'));
    await until(() => ofHirer().length >= 2 && changes >= 2);
    const alone = new Set(['hirer-1', '']); // the empty one stands for none
    expect(ofHirer()).toEqual([alone, alone]);
  });

  test('of a hirer that is named like the sign for all of them concerns that hirer alone', async () => {
    const heard: HirersConcerned[] = [];
    new EventNotices(store.database).listen((hirers) => heard.push(hirers));
    await until(() => {
      new EventNotices(store.database).announce([{ type: 'Any', hirerId: '*' }]);
      return heard.some((hirers) => hirers !== undefined); // undefined where listening has begun, once more on a slow machine
    });
    expect(heard.find((hirers) => hirers !== undefined)).toEqual(new Set(['*', '']));
  });

  describe('on a stream', () => {
    const streamed = (): StreamedEvents => new StreamedEvents(store.database);
    const read = async (place: number) => {
      const page = await streamed().after(place, ['hirer-1']);
      return { ids: page.events.map(({ id }) => id), place: page.place };
    };
    const between = { ...FULL, id: 'between' };

    test('comes when its hirer is known, even to a reader that is past the thin one', async () => {
      await insert(reconciled(THIN), reconciled(between));
      const { ids, place } = await read(0);
      expect(ids).toEqual(['between']);
      await insert(signed(FULL));
      expect(await read(place)).toMatchObject({ ids: ['x'] });
      expect(await read((await read(place)).place)).toMatchObject({ ids: [] });
    });

    test('comes again when the thin one was sent, and a browser that resumes after it misses nothing', async () => {
      await insert(reconciled({ ...THIN, hirerId: 'hirer-1' }), reconciled(between));
      const { place } = await read(0);
      await insert(signed(FULL));
      expect((await read(place)).ids).toEqual(['x']);
      expect((await read(await streamed().placeAfter('x', ['hirer-1']))).ids).toEqual(['between', 'x']);
    });

    test('a browser that has only seen the completed one resumes after that', async () => {
      await insert(reconciled(THIN), reconciled(between));
      await insert(signed(FULL));
      await insert(signed({ ...FULL, id: 'later' }));
      expect((await read(await streamed().placeAfter('x', ['hirer-1']))).ids).toEqual(['later']);
    });
  });
});
